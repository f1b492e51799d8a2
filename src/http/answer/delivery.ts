// Finds out whether an answer reached its caller. The server can only know that the socket has taken the whole answer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Attempt, Delivery } from '../../once/once.ts'
import { retryOf } from '../request/request-id.ts'

const handedOver = ({ raw }: FastifyReply): { delivery: Delivery } => ({
  delivery: {
    onEnd(hear) {
      // An error answer does not deliver the result to the caller.
      const end = () => hear(raw.writableFinished && raw.statusCode < 400)
      if (raw.closed || raw.destroyed) end()
      else raw.once('close', end)
    },
  },
})

/** What the headers of a request say about its earlier tries, and whether the answer of this one reaches its caller. */
export const attemptOf = (request: FastifyRequest, reply: FastifyReply): Attempt => ({
  ...retryOf(request),
  ...handedOver(reply),
})
