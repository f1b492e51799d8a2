// Whether an answer reached its caller, as far as the server can know: the socket has taken all of it.
import type { FastifyReply } from 'fastify'
import type { Delivery } from '../tasks/deliveries.ts'

export const handedOver = ({ raw }: FastifyReply): { delivery: Delivery } => ({
  delivery: {
    onEnd(hear) {
      // An error answer does not deliver the result.
      const end = () => hear(raw.writableFinished && raw.statusCode < 400)
      if (raw.closed || raw.destroyed) end()
      else raw.once('close', end)
    },
  },
})
