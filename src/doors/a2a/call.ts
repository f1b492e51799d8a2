// One call of a method, whichever binding it came by: who calls, which agent, and how tasks of it are found and told.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../contract/refusals.ts'
import type { Pause } from '../../fairness/slices.ts'
import type { WebhookDoor } from '../../http/doors.ts'
import { answersOf, readBy } from '../../http/request/request.ts'
import type { TaskRow } from '../../tasks/queries.ts'
import { agentsOf } from '../agents.ts'
import type { DoorDeps } from '../ask.ts'
import { createTaskTeller, type Teller } from './teller.ts'

export type A2ADeps = DoorDeps & { webhooks: Pick<WebhookDoor, 'commands'> }

/** `agent`: the agent whose tasks the call concerns. */
export type Call = { deps: A2ADeps; request: FastifyRequest; reply: FastifyReply; agent: string }

/** The agent of a path, of the field `tenant`, or the default agent. Throws when the caller has no such agent. */
export const agentOf = (
  { agents }: Pick<DoorDeps, 'agents'>,
  { principal }: FastifyRequest,
  inPath: string | undefined,
  tenant: string | undefined,
): string => {
  const name = inPath ?? (tenant || agents.fallback)
  const names = agentsOf(agents, principal).map(info => info.name)
  if (names.includes(name) && (!tenant || tenant === name)) return name
  const known = [...new Set(names)].toSorted().join(', ')
  const shown = JSON.stringify((inPath === name && tenant ? tenant : name).slice(0, 100))
  throw new Refusal('RouteNotFound', undefined, `there is no agent ${shown} here: the agents are ${known}`)
}

export const pauseOf = ({ deps: { serving }, request, reply }: Call): Pause =>
  answersOf(serving, request, reply).pause

/** The row of a task of this agent that the caller may see. */
export const rowOfTask = ({ deps: { tasks }, request, agent }: Call, taskId: string): TaskRow => {
  const row = tasks.queries.visible(request.principal, taskId)
  if (row.agent !== agent) throw new Refusal('TaskNotFound')
  return row
}

/** A task that has been told up to now, and the number of its last frame. */
export type Told = { taskId: string; teller: Teller; last: number }

/** Tells a task from its beginning. `until`: no frame after the one with this number. */
export const tellTask = async (
  { deps: { tasks, serving }, request }: Call,
  taskId: string,
  pause: Pause,
  until = Number.POSITIVE_INFINITY,
): Promise<Told> => {
  const stream = tasks.streamOf(taskId)
  const created = await tasks.createdOf(stream)
  const teller = createTaskTeller(created)
  let last = -1
  for await (const frame of tasks.storedFrames(stream, -1, pause)) {
    if (frame.sequence_number > until) break
    teller.tell(frame)
    last = frame.sequence_number
  }
  readBy(serving, request)(taskId)
  return { taskId, teller, last }
}
