// A stream counts for its user from before anything is done for it until its answer, or its connection, has closed.
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
  // A stream by a ticket that has one open takes its place.
  const release = quotas.openStream(request.principal, ticket !== undefined && tickets.isSeated(ticket))
  const { socket } = request.raw
  const over = () => {
    release()
    raw.off('close', over)
    socket.off('close', over)
  }
  raw.once('close', over)
  socket.once('close', over) // an answer that waits behind another one does not hear of it
  if (raw.closed || socket.destroyed) over()
}
