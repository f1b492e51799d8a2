// Finds out whether an answer reached its caller. The server can only know that the socket has taken the whole answer.
import type { FastifyReply } from 'fastify'
import type { Delivery } from '../tasks/deliveries.ts'

export const handedOver = ({ raw }: FastifyReply): { delivery: Delivery } => ({
  delivery: {
    onEnd(hear) {
      // An error answer does not deliver the result to the caller.
      const end = () => hear(raw.writableFinished && raw.statusCode < 400)
      if (raw.closed || raw.destroyed) end()
      else raw.once('close', end)
    },
  },
})
