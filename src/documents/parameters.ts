// Parameters that several operations share.
import Type from 'typebox'
import type { Parameter } from './operation.ts'

const query = (name: string, schema: Parameter['schema'], about: string): Parameter => ({
  in: 'query',
  name,
  schema,
  about,
})
const header = (name: string, schema: Parameter['schema'], about: string): Parameter => ({
  in: 'header',
  name,
  schema,
  about,
})
const text = Type.String()
const short = Type.String({ minLength: 1, maxLength: 256 })
const cursor = Type.Integer({ minimum: 0 })

export const taskId: Parameter = { in: 'path', name: 'task_id', schema: text, about: 'The task.' }
export const sessionId: Parameter = { in: 'path', name: 'session_id', schema: text, about: 'The session.' }
export const tokenId: Parameter = {
  in: 'path',
  name: 'token_id',
  schema: text,
  about: 'The id of the token, or the token itself.',
}
export const idempotencyKey = header(
  'Idempotency-Key',
  short,
  'The same key with the same body, within 24 hours, is the same request; with another body it is refused (409).',
)
export const retryCount = header(
  'X-Stainless-Retry-Count',
  Type.Integer({ minimum: 0 }),
  'More than 0: this is a retry, and the task of the earlier request with the same body is returned.',
)
/** A header that every operation accepts. */
export const requestId = header(
  'X-Request-ID',
  short,
  'An id for this request; the answer carries it, in the header of the same name and in envelopes.',
)
export const limit = (most: number, usual: number, what: string): Parameter =>
  query('limit', Type.Integer({ minimum: 1, maximum: most, default: usual }), `How many ${what} at most.`)
export const after = (what: string, fallback?: number): Parameter =>
  query('after', fallback === undefined ? cursor : Type.Integer({ minimum: 0, default: fallback }), what)
/** Unix seconds, or a time as ISO 8601. */
const time = Type.Union([Type.Number({ minimum: 0 }), Type.String()])

export { cursor, header, query, short, text, time }
