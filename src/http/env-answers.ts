// Answers to operations on environment instances: sent as soon as they are ready, and marked when they repeat an
// earlier answer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { handedOver } from './delivery.ts'
import type { Serving } from './doors.ts'
import { faultOf } from './request.ts'
import { isRetry, noteReplay, shortHeader } from './request-id.ts'
import { answerWhenReady } from './slow-answer.ts'

/** The headers by which an earlier call of the same request is found. */
export const retryOf = (request: FastifyRequest) => ({
  idempotencyKey: shortHeader(request, 'idempotency-key'),
  isRetry: isRetry(request),
})

/** What an operation gets from its request besides the body. */
export const givenOf = (request: FastifyRequest, reply: FastifyReply) => ({
  ...retryOf(request),
  ...handedOver(reply),
})

/**
 * Runs `operation`. If it did not begin, its answer is an earlier one and gets a header that says so, unless the
 * headers are sent already.
 */
const markedText = async (
  reply: FastifyReply,
  operation: (began: () => void) => Promise<object>,
): Promise<string> => {
  let isNew = false
  const answer = await operation(() => {
    isNew = true
  })
  if (!isNew) noteReplay(reply)
  return JSON.stringify(answer)
}

export const answerWith = (
  serving: Pick<Serving, 'stopping' | 'fault'>,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: (began: () => void) => Promise<object>,
) => answerWhenReady(reply, markedText(reply, operation), serving.stopping, faultOf(serving, request))
