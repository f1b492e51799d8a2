// The bodies of the requests about tokens and tickets.
import Type, { type Static } from 'typebox'
import { TextId } from './ids.ts'
import { orNull } from './schema.ts'

export const CreateTokenBody = Type.Object({
  role: Type.Enum(['admin', 'user', 'auditor', 'subscriber', 'eraser', 'worker']),
  name: orNull(Type.String({ minLength: 1, maxLength: 100 })),
  user_id: orNull(TextId),
  ttl: orNull(Type.Integer({ minimum: 1, maximum: 315_360_000 })),
})
export type CreateTokenBody = Static<typeof CreateTokenBody>

/** `ticket`: from the one-time link of `createLoginTicket`. */
export const LoginBody = Type.Object({ ticket: Type.String() })
export type LoginBody = Static<typeof LoginBody>

/** `for` is the use of the ticket. `socket`: a connection to /ws that may send commands. Absent: streams only. */
export const StreamTicketBody = Type.Object({ for: orNull(Type.Enum(['socket'])) })
export type StreamTicketBody = Static<typeof StreamTicketBody>
