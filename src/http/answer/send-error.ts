// Sends errors as answers, and decides whether the connection closes after the answer.
import type { FastifyReply } from 'fastify'
import { type Answer, closing } from './errors.ts'

/**
 * The most bytes of a refused body that the server reads and throws away. It reads these bytes so that a client that is
 * still sending gets the answer.
 */
const drainedAtMost = 64 * 1024 * 1024

/** The statuses of answers that may be sent before the body has arrived. */
const beforeBody = [401, 413, 415]

/**
 * Sends an error. The connection closes after a 408, and when the server stops (503). It also closes after a 401, 413
 * or 415 if the body is longer than `drainedAtMost` or its length is unknown. Otherwise the connection stays open:
 * Fastify alone would close it after each body that Fastify cannot read, and a client that is still sending would get
 * no answer.
 */
export const sendError = (reply: FastifyReply, { status, headers, body }: Answer): void => {
  const { 'content-length': length, 'transfer-encoding': encoding } = reply.request.headers
  const isLong = encoding !== undefined || Number(length ?? 0) > drainedAtMost
  if (status === 408 || (isLong && beforeBody.includes(status))) void reply.headers(closing)
  else if (status !== 503) void reply.removeHeader('connection')
  void reply.code(status).headers(headers).send(body)
}
