// A stream counts for its user from before any work for it until its answer or its connection has closed.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ticketOf } from './auth.ts'
import type { Serving } from './doors.ts'

/** Throws a Refusal when the user, or all users together, have as many streams as they may. */
export const holdStream = (
  { quotas, tickets }: Pick<Serving, 'quotas' | 'tickets'>,
  request: FastifyRequest,
  { raw }: FastifyReply,
): void => {
  const ticket = ticketOf(request)
  // A new stream by a ticket replaces the open one of the same ticket.
  const release = quotas.openStream(request.principal, ticket !== undefined && tickets.isSeated(ticket))
  const { socket } = request.raw
  const over = () => {
    release()
    raw.off('close', over)
    socket.off('close', over)
  }
  raw.once('close', over)
  socket.once('close', over) // an answer that waits behind another one gets no `close`
  if (raw.closed || socket.destroyed) over()
}
