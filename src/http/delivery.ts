// Whether an answer reached its caller, as far as can be told from here: it was handed to the socket whole.
import type { FastifyReply } from 'fastify'
import type { Delivery } from '../tasks/deliveries.ts'

export const handedOver = ({ raw }: FastifyReply): { delivery: Delivery } => ({
  delivery: {
    onEnd(hear) {
      // An error is no answer to what was done.
      const end = () => hear(raw.writableFinished && raw.statusCode < 400)
      if (raw.closed || raw.destroyed) end()
      else raw.once('close', end)
    },
  },
})
