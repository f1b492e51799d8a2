// Turns an error into an HTTP answer. Some operations on tasks answer with the error in an envelope, all other
// operations with the bare error object. Every operation answers an invalid request with a list of the problems.

import { ChangedMeanwhile } from '../contract/changed-meanwhile.ts'
import { Invalid, Refusal, type RefusalName, refusals } from '../contract/refusals.ts'
import { detailedRefusals } from '../contract/responses.ts'
import { DamagedEvent, ErasedEvent, RevisionConflict, StorageFailure } from '../contract/stored.ts'
import type { ErrorObject } from '../contract/wire.ts'
import { maxProblems } from './problems.ts'

export type Answer = { status: number; headers: Record<string, string>; body: unknown }

const extraHeaders: Partial<Record<number, Record<string, string>>> = {
  401: { 'www-authenticate': 'Bearer' },
  409: { 'x-should-retry': 'false' },
  429: { 'retry-after': '1' },
  503: { 'retry-after': '1' },
}

/** The headers of an answer after which the server closes the connection. */
export const closing = { connection: 'close' }

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

const refusalOf = (error: unknown): Refusal | undefined => {
  if (error instanceof Refusal) return error
  if (error instanceof StorageFailure) return new Refusal('StorageDown')
  if (error instanceof ErasedEvent) return new Refusal('TaskNotFound')
  if (error instanceof DamagedEvent) return new Refusal('Damaged', { position: error.position })
  if (error instanceof RevisionConflict) return new Refusal('Busy')
  if (error instanceof ChangedMeanwhile) return new Refusal('ChangedMeanwhile')
  const name = frameworkRefusals[(error as { code?: string } | null)?.code ?? '']
  return name === undefined ? undefined : new Refusal(name)
}

/**
 * The answer for an error. `envelopeId` is given if the operation answers with an envelope. `fault` is true if the
 * server must log the error in full.
 */
export const answerOf = (error: unknown, envelopeId: string | undefined): Answer & { fault: boolean } => {
  if (error instanceof Invalid) {
    return { status: 422, headers: {}, body: { detail: error.problems.slice(0, maxProblems) }, fault: false }
  }
  const refusal = refusalOf(error)
  const { http, code } = refusal ?? refusals.Fault
  const message = refusal?.message ?? refusals.Fault.message
  const object = { code, message, ...(refusal?.data === undefined ? {} : { data: refusal.data }) }
  const isDetailed = refusal !== undefined && detailedRefusals.has(refusal.reason)
  const bare = isDetailed ? { ...object, detail: message } : object
  const body = envelopeId === undefined ? bare : { jsonrpc: '2.0', id: envelopeId, error: object }
  return {
    status: http,
    headers: { ...extraHeaders[http], ...(refusal?.reason === 'ShuttingDown' ? closing : {}) },
    body,
    fault: refusal === undefined && !isGone(error),
  }
}

const invalidCode = -32602

/** The bare error object for a message on a stream or a WebSocket. An invalid request gets an error object, too. */
export const errorObjectOf = (error: unknown): { object: ErrorObject; fault: boolean } => {
  const { body, fault } = answerOf(error, undefined)
  if (error instanceof Invalid) {
    return { object: { code: invalidCode, message: error.message, data: body }, fault }
  }
  const { code, message, data } = body as ErrorObject
  return { object: { code, message, ...(data === undefined ? {} : { data }) }, fault }
}
