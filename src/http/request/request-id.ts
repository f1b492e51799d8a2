// Sets the id of a request, which is in the envelope and the header X-Request-ID of the answer, and reads headers.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Invalid } from '../../contract/refusals.ts'
import type { Retry } from '../../once/once.ts'

/** The id as the value of a header. Header values are ASCII, so any other id is percent-encoded. */
export const headerText = (id: string): string => (/^[\x20-\x7e]*$/.test(id) ? id : encodeURIComponent(id))

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it looks for
const hasControl = /[\u0000-\u001f\u007f-\u009f]/

export const setRequestId = (request: FastifyRequest, reply: FastifyReply, id: string): void => {
  request.envelopeId = id
  void reply.header('x-request-id', headerText(id))
}

/** An optional header. An empty one counts as absent. */
export const optionalHeader = ({ headers }: FastifyRequest, name: string): string | string[] | undefined =>
  headers[name] === '' ? undefined : headers[name]

const isId = (value: string | string[]): value is string =>
  typeof value === 'string' && value.length <= 256 && !hasControl.test(value)

/** The id that a header gives; undefined: the header gives no id that can be used. */
export const givenId = (value: string | string[] = ''): string | undefined =>
  value !== '' && isId(value) ? value : undefined

/** An optional header with an id that the client chose, as in a body: at most 256 characters, no control characters. */
export const idHeader = (request: FastifyRequest, name: string): string | undefined => {
  const value = optionalHeader(request, name)
  if (value === undefined) return undefined
  if (isId(value)) return value
  const msg = 'Input should have at most 256 characters, and no control characters'
  throw new Invalid([{ loc: ['header', name], msg, type: 'value_error' }])
}

/** Whether the caller marks the request as a retry. */
const isRetry = (request: FastifyRequest): boolean =>
  Number(request.headers['x-stainless-retry-count'] ?? 0) > 0

/** What the headers of a request say about its retries. */
export const retryOf = (request: FastifyRequest): Retry => ({
  key: idHeader(request, 'idempotency-key'),
  isRetry: isRetry(request),
})

/** Marks the answer as a repetition of the answer to an earlier request. */
export const noteReplay = (reply: FastifyReply): void => void reply.header('idempotency-replayed', 'true')
