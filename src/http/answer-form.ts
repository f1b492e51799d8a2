// Finds the headers and the form of errors for answers that the door of a node gives itself, without a route.
import type { IncomingMessage } from 'node:http'
import { findOperation } from '../documents/find-operation.ts'
import { createCors } from './cors.ts'
import { everyAnswerHeaders } from './head.ts'
import { givenId, headerText } from './request-id.ts'

/** `envelopeId`: the id of the envelope in which the operation answers errors; undefined: it uses none. */
export type AnswerForm = { headers: Record<string, string>; envelopeId: string | undefined }

/** `newId`: makes an id for a request that has none. */
export const createAnswerForms = (allowedOrigins: readonly string[], newId: () => string) => {
  const corsOf = createCors(allowedOrigins)
  return ({
    method = '',
    url = '',
    headers,
  }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): AnswerForm => {
    const id = givenId(headers['x-request-id']) ?? newId()
    return {
      headers: { ...everyAnswerHeaders, 'x-request-id': headerText(id), ...corsOf(headers.origin) },
      envelopeId: findOperation(method, url)?.envelope ? id : undefined,
    }
  }
}
