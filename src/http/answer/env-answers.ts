// Sends the answers to operations on environment instances as soon as they are ready. An answer that repeats an earlier
// one gets the header `Idempotency-Replayed`.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Serving } from '../doors.ts'
import { faultOf } from '../request/request.ts'
import { noteReplay } from '../request/request-id.ts'
import { answerWhenReady } from './slow-answer.ts'

/**
 * Runs `operation`. If the operation did not begin, its answer repeats an earlier one. Then the reply gets the header
 * that says so, unless its headers have been sent already.
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
