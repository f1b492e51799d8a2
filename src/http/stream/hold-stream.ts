// Counts a stream in the quota of its user, from before any work for the stream until the answer or the connection
// closes.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Serving } from '../doors.ts'
import { ticketOf } from '../request/auth.ts'

/** Throws a Refusal if the user has used up the quota of streams, or if all users together have used up theirs. */
export const holdStream = (
  { quotas, tickets }: Pick<Serving, 'quotas' | 'tickets'>,
  request: FastifyRequest,
  { raw }: FastifyReply,
): void => {
  const ticket = ticketOf(request)
  // A new stream of a ticket replaces the open stream of that ticket, so it may exceed the quota for a moment.
  const release = quotas.openStream(request.principal, ticket !== undefined && tickets.isSeated(ticket))
  const { socket } = request.raw
  const over = () => {
    release()
    raw.off('close', over)
    socket.off('close', over)
  }
  raw.once('close', over)
  socket.once('close', over) // an answer that waits behind another one on its connection gets no `close`
  if (raw.closed || socket.destroyed) over()
}
