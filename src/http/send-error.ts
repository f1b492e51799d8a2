// Sends errors as answers. Closes the connection if too much of the request's body has not arrived yet.
import type { FastifyReply } from 'fastify'
import { type Answer, closing } from './errors.ts'

/**
 * The most bytes of a refused body that the server reads and throws away. A sender that is still sending would not see
 * the answer.
 */
const drainedAtMost = 64 * 1024 * 1024

/**
 * Sends an error. The connection closes after a 408. It also closes after a 401 or 413 if the body is longer than
 * `drainedAtMost` or its length is unknown.
 */
export const sendError = (reply: FastifyReply, { status, headers, body }: Answer): void => {
  const { 'content-length': length, 'transfer-encoding': encoding } = reply.request.headers
  const isLong = encoding !== undefined || Number(length ?? 0) > drainedAtMost
  const isEnded = status === 408 || (isLong && (status === 401 || status === 413))
  const close = isEnded ? closing : {}
  void reply
    .code(status)
    .headers({ ...headers, ...close })
    .send(body)
}
