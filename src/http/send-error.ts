// Errors as answers; a connection on which too much would still come is closed with them.
import type { FastifyReply } from 'fastify'
import type { Answer } from './errors.ts'

/** The rest of a refused body is read and thrown away up to this size, so that its sender sees the answer. */
const drainedAtMost = 64 * 1024 * 1024

/** A longer body, or one without an end in sight, is not read on: its connection closes. */
export const sendError = (reply: FastifyReply, { status, headers, body }: Answer): void => {
  const { 'content-length': length, 'transfer-encoding': encoding } = reply.request.headers
  const isLong = encoding !== undefined || Number(length ?? 0) > drainedAtMost
  const isEnded = status === 408 || (isLong && (status === 401 || status === 413))
  const close = isEnded ? { connection: 'close' } : {}
  void reply
    .code(status)
    .headers({ ...headers, ...close })
    .send(body)
}
