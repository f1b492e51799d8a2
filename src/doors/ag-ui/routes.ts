// The route of AG-UI: /ag-ui/<agent>. A run is a turn of a task.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RunAgentInput } from '../../contract/ag-ui/input.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import { Refusal } from '../../contract/refusals.ts'
import type { Pause } from '../../fairness/slices.ts'
import type { TaskDoor } from '../../http/doors.ts'
import { readQuery } from '../../http/request/query.ts'
import { type App, answersOf, readBy } from '../../http/request/request.ts'
import { optionalHeader } from '../../http/request/request-id.ts'
import { route } from '../../http/route.ts'
import { beyond } from '../../http/routes/task-events.ts'
import { holdStream } from '../../http/stream/hold-stream.ts'
import { agentsOf } from '../agents.ts'
import { ask, type DoorDeps, nameTask } from '../ask.ts'
import { storedBeats } from '../follow.ts'
import { firstTurn, type TurnId } from '../ids.ts'
import { eventText, sendTurn } from '../send.ts'
import type { Beat } from '../turns.ts'
import { type Run, readRun } from './request.ts'
import { createRunTeller } from './teller.ts'

/** Throws when the caller has no agent of this name. */
const mustBeAgent = ({ agents }: Pick<DoorDeps, 'agents'>, principal: Principal, agent: string): void => {
  const names = agentsOf(agents, principal).map(({ name }) => name)
  if (names.includes(agent)) return
  const known = [...new Set(names)].toSorted().join(', ')
  const hint = 'Use the path of one of these agents.'
  throw new Refusal(
    'RouteNotFound',
    undefined,
    `there is no agent ${JSON.stringify(agent)}: the agents are ${known}`,
    { hint },
  )
}

/** Throws when the stored part of a run has no event with this number. */
const mustHaveTold = async (
  tasks: TaskDoor,
  run: Run,
  { body, after, pause }: { body: RunAgentInput; after: number; pause: Pause },
): Promise<void> => {
  let told = 0
  const id = turnOf(run)
  if (id !== undefined) {
    const { tell } = createRunTeller(await tasks.createdOf(tasks.streamOf(id.taskId)), id, body)
    for await (const beat of storedBeats(tasks, id.taskId, pause)) told += tell(beat).length
  }
  if (after >= told) throw beyond(['header', 'last-event-id'])
}
/** The turn that a run shows; undefined: its task is new. */
const turnOf = (run: Run): TurnId | undefined => {
  if ('joins' in run) return run.joins
  const { create, turn } = run
  return turn === firstTurn || !create.task_id ? undefined : { taskId: create.task_id, turn }
}

/** The number of the event after which the answer begins. */
const cursorOf = (request: FastifyRequest): number => {
  if (optionalHeader(request, 'last-event-id') === undefined) return -1
  const headers = readQuery(request.headers, 'header')
  const after = headers.integer('last-event-id', { fallback: -1 })
  headers.done()
  return after
}

export const agUiRoutes = (app: App, door: DoorDeps): void => {
  const { tasks, serving } = door

  /** A run that is there. */
  const join = async (request: FastifyRequest, reply: FastifyReply, id: TurnId) => {
    const created = await tasks.createdOf(tasks.streamOf(id.taskId))
    readBy(serving, request)(id.taskId)
    nameTask(reply, created)
    return { id, created }
  }

  route(app, 'runAgent', {
    bodyLimit: tasks.bodyLimit,
    config: { stream: true },
    async handler(request, reply) {
      const { body, principal, params } = request
      const after = cursorOf(request)
      mustBeAgent(door, principal, params.agent)
      holdStream(serving, request, reply)
      const { pause } = answersOf(serving, request, reply)
      const run = await readRun({ tasks, principal, pause }, params.agent, body)
      if (after >= 0) await mustHaveTold(tasks, run, { body, after, pause })
      const { id, created } =
        'joins' in run ? await join(request, reply, run.joins) : await ask(door, request, reply, run)
      const { tell } = createRunTeller(created, id, body)
      let next = 0
      const textOf = (beats: Beat[]): string =>
        beats
          .flatMap(tell)
          .map(event => ({ event, n: next++ }))
          .filter(({ n }) => n > after)
          .map(({ event, n }) => eventText(event, { id: n }))
          .join('')
      return sendTurn(door, request, reply, id, { textOf })
    },
  })
}
