// Turns an error into an HTTP answer: the error object of JSON-RPC, whose `data` says what to do (`hint`) and where to read more
// (`docs`). Some operations on tasks answer with the error object in an envelope, all other operations with the bare one.
// Every operation answers an invalid request with a list of the problems, in the form that the interface gives it.

import { ChangedMeanwhile } from '../../contract/changed-meanwhile.ts'
import { Invalid, invalidRequest, Refusal, type RefusalName } from '../../contract/refusals.ts'
import { detailedRefusals } from '../../contract/responses.ts'
import { DamagedEvent, ErasedEvent, RevisionConflict, StorageFailure } from '../../contract/stored.ts'
import type { ErrorObject } from '../../contract/wire.ts'
import { anchorOf, type Reason } from '../../documents/catalogue.ts'
import type { ErrorFormName } from '../../documents/operation.ts'
import { errorForms } from '../../doors/error-forms.ts'
import { maxProblems } from '../request/problems.ts'
import { originOf } from '../server/public-url.ts'

export type Answer = { status: number; headers: Record<string, string>; body: unknown }

const extraHeaders: Partial<Record<number, Record<string, string>>> = {
  401: { 'www-authenticate': 'Bearer' },
  409: { 'x-should-retry': 'false' },
  426: { upgrade: 'websocket', connection: 'Upgrade' },
  429: { 'retry-after': '1' },
  503: { 'retry-after': '1' },
  508: { 'retry-after': '1' },
}

/** The headers of an answer after which the server closes the connection. */
export const closing = { connection: 'close' }
const closingRefusals: readonly RefusalName[] = ['ShuttingDown', 'NotHttp', 'BadHandshake']

/** Fastify's codes for mistakes of the caller, and the refusals for them. */
const frameworkRefusals: Record<string, RefusalName> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'BodyTooLarge',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'MediaType',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BodyTooLarge',
}

/**
 * Whether the caller disconnected while it was sending its request. Then no answer can be sent, and the server made no
 * mistake.
 */
export const isGone = (error: unknown): boolean =>
  ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'EPIPE'].includes(
    (error as { code?: string } | null)?.code ?? '',
  )

export const refusalOf = (error: unknown): Refusal | undefined => {
  if (error instanceof Refusal) return error
  if (error instanceof StorageFailure) return new Refusal('StorageDown')
  if (error instanceof ErasedEvent) return new Refusal('TaskNotFound')
  if (error instanceof DamagedEvent) return new Refusal('Damaged', { position: error.position })
  if (error instanceof RevisionConflict) return new Refusal('Busy')
  if (error instanceof ChangedMeanwhile) return new Refusal('ChangedMeanwhile')
  const name = frameworkRefusals[(error as { code?: string } | null)?.code ?? '']
  return name === undefined ? undefined : new Refusal(name)
}

/** Whether the server must log the error in full, since neither its caller nor its storage is the reason. */
export const isFault = (error: unknown): boolean =>
  !(error instanceof Invalid) && refusalOf(error) === undefined && !isGone(error)

/** `root`: the address of the server's root as clients know it; empty: they know it better than the server. */
export type Place = { root: string }

/** The part of the page /docs about a reason. */
const docsOf = (reason: Reason, { root }: Place): string => `${root}/docs#${anchorOf(reason)}`

const objectOf = ({ code, message, data, hint, reason }: Refusal, place: Place): ErrorObject => ({
  code,
  message,
  data: { ...data, hint, docs: docsOf(reason, place) },
})

/**
 * `envelopeId`: the id of the envelope in which the operation answers errors; undefined: it uses none. `errors`: the form of
 * another protocol in which it answers them. `host`: the host that the caller has named.
 */
export type Form = Place & {
  envelopeId: string | undefined
  errors?: ErrorFormName | undefined
  host?: string | undefined
}

/** The answer for an error in the form of another protocol, with the headers that every refusal has. */
const formed = (error: Invalid | Refusal, name: ErrorFormName, { root, host }: Form): Answer => {
  const { status, headers, body } = errorForms[name](error, { origin: originOf(host), root })
  const own = error instanceof Refusal ? headersOf(error) : {}
  return { status, headers: { ...own, ...headers }, body }
}

const headersOf = ({ http, reason, headers }: Refusal): Record<string, string> => ({
  ...extraHeaders[http],
  ...(closingRefusals.includes(reason) ? closing : {}),
  ...headers,
})

/** The answer for an error. */
export const answerOf = (error: unknown, form: Form): Answer => {
  if (form.errors !== undefined)
    return formed(
      error instanceof Invalid ? error : (refusalOf(error) ?? new Refusal('Fault')),
      form.errors,
      form,
    )
  if (error instanceof Invalid)
    return { status: 422, headers: {}, body: { detail: error.problems.slice(0, maxProblems) } }
  const refusal = refusalOf(error) ?? new Refusal('Fault')
  const { http, reason, message } = refusal
  const object = objectOf(refusal, form)
  const bare = detailedRefusals.has(reason) ? { ...object, detail: message } : object
  const { envelopeId: id } = form
  return {
    status: http,
    headers: headersOf(refusal),
    body: id === undefined ? bare : { jsonrpc: '2.0', id, error: object },
  }
}

/** The error object for a message on a stream or a WebSocket. An invalid request gets an error object, too. */
export const errorObjectOf = (error: unknown, place: Place): ErrorObject => {
  if (!(error instanceof Invalid)) return objectOf(refusalOf(error) ?? new Refusal('Fault'), place)
  const { code, message, hint } = invalidRequest
  const detail = error.problems.slice(0, maxProblems)
  return { code, message, data: { detail, hint, docs: docsOf('Invalid', place) } }
}
