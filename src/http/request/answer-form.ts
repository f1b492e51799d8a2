// Finds the headers and the form of errors for answers that the door of a node gives itself, without a route.
import type { IncomingMessage } from 'node:http'
import { findOperation } from '../../documents/find-operation.ts'
import type { Form } from '../answer/errors.ts'
import { everyAnswerHeaders } from '../answer/head.ts'
import { createCors } from '../server/cors.ts'
import { type PublicUrl, rootOf } from '../server/public-url.ts'
import { givenId, headerText } from './request-id.ts'

/** The form of errors, and the headers of every answer. */
export type AnswerForm = Form & { headers: Record<string, string> }

type Settings = { allowedOrigins: readonly string[]; publicUrl: PublicUrl | undefined }

/** `newId`: makes an id for a request that has none. */
export const createAnswerForms = ({ allowedOrigins, publicUrl }: Settings, newId: () => string) => {
  const root = rootOf(publicUrl)
  const corsOf = createCors(allowedOrigins)
  return ({
    method = '',
    url = '',
    headers,
  }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): AnswerForm => {
    const id = givenId(headers['x-request-id']) ?? newId()
    const { envelope, errors } = findOperation(method, url) ?? {}
    return {
      headers: { ...everyAnswerHeaders, 'x-request-id': headerText(id), ...corsOf(headers.origin) },
      envelopeId: envelope ? id : undefined,
      errors,
      host: headers.host,
      root,
    }
  }
}
