// Parameters that several operations share.
import Type from 'typebox'
import type { Parameter } from './operation.ts'

/** Routes get the names and the types of values from the result (`src/http/request/parameters.ts`). */
const query = <const Name extends string, Schema extends Parameter['schema']>(
  name: Name,
  schema: Schema,
  about: string,
) => ({ in: 'query' as const, name, schema, about })
/** The schema with a default. The type says that the value is never absent. */
const usually = <Schema extends Parameter['schema'], Value>(schema: Schema, value: Value) =>
  Object.assign(schema, { default: value })
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
export const otherTask: Parameter = { in: 'path', name: 'other', schema: text, about: 'The other task.' }
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
  'Identifies the request. If the key was used with the same body within the last 24 hours, the server returns the earlier task. If the key was used with another body, the server refuses the request (409).',
)
export const retryCount = header(
  'X-Stainless-Retry-Count',
  Type.Integer({ minimum: 0 }),
  'More than 0: this request is a retry, and the server returns the task of the earlier request with the same body.',
)
/** A header that every operation accepts. */
export const requestId = header(
  'X-Request-ID',
  short,
  'An id for this request. The answer repeats the id, in the header of the same name and in its envelope.',
)
export const limit = (maximum: number, fallback: number, what: string) =>
  query('limit', usually(Type.Integer({ minimum: 1, maximum }), fallback), `The largest number of ${what}.`)
/** The parameters with which every list of our own is read in pages. */
export const pages = (maximum: number, fallback: number, what: string) =>
  [
    limit(maximum, fallback, what),
    query('cursor', text, 'The `next_cursor` of a page: the answer is the page after it.'),
  ] as const
export const after = (what: string, fallback?: number): Parameter =>
  query('after', fallback === undefined ? cursor : Type.Integer({ minimum: 0, default: fallback }), what)
/** Unix seconds, or a time as ISO 8601. */
const time = Type.Union([Type.Number({ minimum: 0 }), Type.String()])

export { cursor, header, query, short, text, time, usually }
