// Makes the events and refusals that several decisions share. Pure.

import { isCanceling, isPausing } from '../../../src/contract/charts/task-state.ts'
import type { CodeVersion } from '../../../src/contract/code-agent.ts'
import type { StartContext, TaskCommand } from '../../../src/contract/commands/commands.ts'
import {
  asked,
  mostAsks,
  type OpenItem,
  type TaskEvent,
  type TaskEventData,
} from '../../../src/contract/events/task-events.ts'
import { Refusal } from '../../../src/contract/refusals.ts'
import type { TaskStatus } from '../../../src/contract/wire.ts'
import { type OpenCall, openCalls } from '../../../src/history/task/calls.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'
import type { Standing } from './calls.ts'

/** The time limit of each state, in seconds; 0: no limit. In `working` it counts from the newest event. */
export type Ttls = Record<'created' | 'queued' | 'working' | 'paused' | 'input-required', number>

/** What a decision may use besides the task itself: the time in Unix milliseconds, and the time limits of states. */
export type At = {
  now: number
  ttls: Ttls
  /** The version on which a new task of an agent begins; undefined: the agent is no code of a user. */
  codeOf?: ((agent: string, user: string) => CodeVersion | undefined) | undefined
  /** Whether a host is there, or can be started, that runs the agent; absent: always. */
  isServed?: ((agent: string, user: string) => boolean) | undefined
}

/** A new task that is stored in the same append, with its first events. */
export type Made = { created: TaskEventData<'TaskCreated'>; events: TaskEvent[] }
export type Decision = { events: TaskEvent[]; made: Made[] }

export type Decide<T extends TaskCommand['type']> = (
  view: DecidedTask,
  command: Extract<TaskCommand, { type: T }>,
  at: At,
) => TaskEvent[] | Decision

export const deadline = (ttl: number, now: number) => (ttl === 0 ? {} : { expires_at: now + ttl * 1000 })
export const ttlSeconds = (ttl: number) => (ttl === 0 ? {} : { ttl_seconds: ttl })
export const statusOf = (view: DecidedTask): TaskStatus => {
  if (view.status === 'absent' || view.deleted) throw new Refusal('TaskNotFound')
  return view.status
}
/** The states in which a task has not ended. */
export const unfinished: TaskStatus[] = ['created', 'queued', 'working', 'input-required', 'paused']
type Operation = 'pause' | 'resume' | 'cancel' | 'delete' | 'answer' | 'message' | 'approve'
const refusedIn = ({ status, state }: DecidedTask, operation: Operation, states: TaskStatus[]) => {
  const now = `${status}${isCanceling(state) ? ', and being canceled' : ''}`
  const words = `${operation} needs a task that is ${states.join(' or ')}; this task is ${now}`
  return [{ status, operation, states }, words] as const
}
export const wrongState = (view: DecidedTask, operation: Operation, states: TaskStatus[]) =>
  new Refusal('WrongState', ...refusedIn(view, operation, states))
export const notCancelable = (view: DecidedTask) =>
  new Refusal('NotCancelable', ...refusedIn(view, 'cancel', unfinished))

export const openItems = (items: ReadonlyMap<string, number>): OpenItem[] =>
  [...items].map(([item_id, parts]) => ({ item_id, parts }))

/** Ends an open step without a result. Its items keep the text that came. */
export const abandoned = ({ openStep }: DecidedTask): TaskEvent[] =>
  openStep === undefined
    ? []
    : [
        {
          type: 'AgentStepAbandoned',
          data: {
            agent_step: openStep.agentStep,
            effect_id: openStep.effectId,
            items: openItems(openStep.items),
          },
        },
      ]

type Cuttable = Pick<OpenCall, 'callId' | 'said' | 'saying'> & { effect: { id: string } }

/** Ends calls that have stored output and will give no result. Their items keep this output. */
export const cut = (view: DecidedTask, calls: readonly Cuttable[] = openCalls(view)): TaskEvent[] =>
  calls.flatMap(({ callId, effect, said, saying }): TaskEvent[] => {
    if (said === undefined && saying === undefined) return []
    const item =
      said === undefined ? { items: (saying ?? []).map(open => ({ ...open })) } : { item_id: said.itemId }
    const data = { agent_step: view.completedSteps, effect_id: effect.id, call_id: callId, ...item }
    return [{ type: 'EffectCut', data }]
  })

/** A task that waited for its client works again. */
export const goesOn = ({ ttls }: At): TaskEvent => ({
  type: 'InputAnswered',
  data: { from: 'input-required', ...ttlSeconds(ttls.working) },
})

/** The event that ends the agent, when its task ends without an answer or an error of the agent. */
export const agentStopped = ({ agentSpawned, agentEnded, created }: DecidedTask): TaskEvent[] =>
  agentSpawned && !agentEnded && created !== undefined
    ? [{ type: 'AgentCompleted', data: { agent_id: created.agent_id, success: false } }]
    : []

type Starting = 'task_id' | 'agent' | 'user_id' | 'agent_id' | 'workdir' | 'parent_agent_id' | 'own_past'

export const started = (
  from: TaskStatus,
  created: Pick<TaskEventData<'TaskCreated'>, Starting>,
  { context, ...earlier }: StartContext,
  { ttls, codeOf }: At,
): TaskEvent[] => {
  const code = codeOf?.(created.agent, created.user_id)
  return [
    {
      type: 'AgentSpawned',
      data: {
        agent_id: created.agent_id,
        workdir: created.workdir,
        ...(created.parent_agent_id === undefined ? {} : { parent_agent_id: created.parent_agent_id }),
      },
    },
    {
      type: 'TaskStarted',
      data: {
        from,
        ...(created.own_past ? { context: context.slice(-1) } : { context, ...earlier }),
        ...(code === undefined ? {} : { agent_version: code.version, agent_seed: created.task_id }),
        ...(code?.isOwn ? { agent_own: true } : {}),
        ...ttlSeconds(ttls.working),
      },
    },
  ]
}

export const agentDone = (view: DecidedTask): TaskEvent => ({
  type: 'AgentCompleted',
  data: { agent_id: view.created?.agent_id ?? '', success: true },
})
export const pausedFor = (reason: string, { now, ttls }: At): TaskEvent => ({
  type: 'TaskPaused',
  data: { from: 'working', reason, ...deadline(ttls.paused, now) },
})

/** Whether the agent has a message that no step has seen. */
export const hasUnread = ({ messages }: DecidedTask): boolean => messages.some(({ at }) => at === undefined)

/**
 * The events that follow from the progress of a step's calls. They complete the task when a stop tool was called, or when
 * the agent gave its answer, no call waits for the client and no message is unread. Otherwise they pause the task if a pause
 * was requested, or make the task wait if a call waits for the client. The list is empty while a call still runs, while the
 * task is being canceled, and when the next step can begin.
 */
export const onwards = (calls: Standing, view: DecidedTask, at: At): TaskEvent[] => {
  const { running, stopped, waiting, final } = calls
  if (running || isCanceling(view.state)) return []
  if (stopped || (final && waiting.length === 0 && !hasUnread(view))) {
    return [agentDone(view), { type: 'TaskCompleted', data: { from: 'working' } }]
  }
  if (isPausing(view.state)) return [pausedFor('pause_requested', at)]
  if (waiting.length === 0) return []
  const { now, ttls } = at
  const expires = deadline(ttls['input-required'], now)
  const ids = waiting.map(({ call_id }) => call_id)
  const asks = waiting.slice(0, mostAsks).map(asked)
  return [{ type: 'InputRequired', data: { from: 'working', calls: ids, asks, ...expires } }]
}

export const firstEvents = (
  created: TaskEventData<'TaskCreated'>,
  start: boolean,
  seen: StartContext,
  at: At,
): TaskEvent[] => {
  const { now, ttls } = at
  const { task_id, ...rest } = created
  const first: TaskEvent = { type: 'TaskCreated', data: { task_id, ...rest, ...deadline(ttls.created, now) } }
  if (start) return [first, ...started('created', created, seen, at)]
  const waits = at.isServed?.(created.agent, created.user_id) === false
  const why = waits ? { waiting_for: 'worker' as const } : {}
  return [first, { type: 'TaskQueued', data: { from: 'created', ...deadline(ttls.queued, now), ...why } }]
}
