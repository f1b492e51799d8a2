// The agents that a caller may reach through a door.
import { ownerOf, type Principal } from '../contract/events/token-events.ts'
import type { AgentDoor } from '../http/doors.ts'

/** The agents that the tasks of a principal may name. */
export const agentsOf = ({ list }: Pick<AgentDoor, 'list'>, principal: Principal) =>
  list(ownerOf(principal, undefined)).map(({ info }) => info)
