// From a command to facts, or a refusal. Pure: it sees the task as the log tells it and starts nothing.
// The machine judges every move (`can`); here each command only names its facts and its reason to refuse.
import type { StepEnd } from '../../src/contract/agent.ts'
import type { StepFact, TaskCommand } from '../../src/contract/commands.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { TaskEvent, TaskEventType } from '../../src/contract/task-events.ts'
import { isTerminal, type TaskStatus } from '../../src/contract/wire.ts'
import { effectIdOf, type TaskView } from '../../src/history/task-view.ts'

/** How long a task may rest in each state, seconds; 0 is for ever. */
export type Ttls = Record<'created' | 'queued' | 'working' | 'paused' | 'input-required', number>

/** What a decision may ask besides the task itself. */
export type Judgement = {
  can(type: TaskEventType): boolean
  now: number
  ttls: Ttls
}

type Decide<T extends TaskCommand['type']> = (
  command: Extract<TaskCommand, { type: T }>,
  view: TaskView,
  judgement: Judgement,
) => TaskEvent[]

const deadline = (ttl: number, now: number) => (ttl === 0 ? {} : { expires_at: now + ttl * 1000 })
const ttlSeconds = (ttl: number) => (ttl === 0 ? {} : { ttl_seconds: ttl })
const statusOf = (view: TaskView): TaskStatus => {
  if (view.status === 'absent' || view.deleted) throw new Refusal('TaskNotFound')
  return view.status
}
const wrongState = (view: TaskView) => new Refusal('WrongState', { status: view.status })

/** A step that is open ends here; its items stay as far as they came. */
const abandoned = ({ openStep }: TaskView): TaskEvent[] =>
  openStep === undefined
    ? []
    : [
        {
          type: 'AgentStepAbandoned',
          data: {
            agent_step: openStep.agentStep,
            effect_id: openStep.effectId,
            items: [...openStep.items].map(([item_id, parts]) => ({ item_id, parts })),
          },
        },
      ]

/** The agent's end, for a task that ends without an answer or an error of the agent. */
const agentStopped = ({ agentSpawned, agentEnded, created }: TaskView): TaskEvent[] =>
  agentSpawned && !agentEnded && created !== undefined
    ? [{ type: 'AgentCompleted', data: { agent_id: created.agent_id, success: false } }]
    : []

const expired = (view: TaskView): TaskEvent[] => [
  ...abandoned(view),
  ...agentStopped(view),
  { type: 'TaskExpired', data: { from: view.status as TaskStatus } },
]

/** When a task has rested too long: stored, but while it works counted from its last event or the server's start. */
export const deadlineOf = (view: TaskView, startedAt: number): number | undefined => {
  if (view.status !== 'working') return view.expiresAt
  return view.ttlSeconds === undefined
    ? undefined
    : Math.max(view.changedAt, startedAt) + view.ttlSeconds * 1000
}

const started = (
  from: TaskStatus,
  view: { agent_id: string; workdir: string; parent_agent_id?: string },
  context: Extract<TaskCommand, { type: 'StartTask' }>['context'],
  ttls: Ttls,
): TaskEvent[] => [
  {
    type: 'AgentSpawned',
    data: {
      agent_id: view.agent_id,
      workdir: view.workdir,
      ...(view.parent_agent_id === undefined ? {} : { parent_agent_id: view.parent_agent_id }),
    },
  },
  { type: 'TaskStarted', data: { from, context, ...ttlSeconds(ttls.working) } },
]

type Failure = Extract<StepEnd, { end: 'fail' }>

/** A task that is being canceled records what its step did and moves nowhere. */
const afterFailure = ({ error }: Failure, { created, cancelRequested }: TaskView): TaskEvent[] =>
  cancelRequested
    ? []
    : [
        {
          type: 'AgentError',
          data: { agent_id: created?.agent_id ?? '', error: error.message, code: error.code },
        },
        { type: 'TaskFailed', data: { from: 'working', error } },
      ]

/** What the end of a step leads to. */
const afterStep = (
  end: Exclude<StepEnd, Failure>,
  completed: TaskEvent,
  view: TaskView,
  { now, ttls }: Judgement,
): TaskEvent[] => {
  const agent_id = view.created?.agent_id ?? ''
  if (view.cancelRequested || (end.end === 'continue' && !view.pauseRequested)) return [completed]
  if (end.end === 'answer') {
    return [
      completed,
      { type: 'AgentCompleted', data: { agent_id, success: true } },
      { type: 'TaskCompleted', data: { from: 'working' } },
    ]
  }
  const reason = end.end === 'pause' ? end.reason : 'pause_requested'
  return [completed, { type: 'TaskPaused', data: { from: 'working', reason, ...deadline(ttls.paused, now) } }]
}

const decisions: { [T in TaskCommand['type']]: Decide<T> } = {
  CreateTask: ({ created, start, context }, view, { now, ttls }) => {
    if (view.status !== 'absent') throw new Refusal('Conflict', { task_id: created.task_id })
    const first: TaskEvent = { type: 'TaskCreated', data: { ...created, ...deadline(ttls.created, now) } }
    if (start) return [first, ...started('created', created, context, ttls)]
    return [first, { type: 'TaskQueued', data: { from: 'created', ...deadline(ttls.queued, now) } }]
  },

  // A task whose turn came after it was canceled, expired or deleted never starts.
  StartTask: ({ context }, view, { can, now, ttls }) => {
    if (view.created === undefined || view.cancelRequested || !can('TaskStarted')) return []
    if (view.expiresAt !== undefined && view.expiresAt <= now) return expired(view)
    return started(view.status as TaskStatus, view.created, context, ttls)
  },

  // A report of a step that is no longer wanted is dropped: its receipt or its abandonment stands already.
  RecordStep: ({ agentStep, effectId, facts, end }, view, judgement) => {
    if (view.status !== 'working' || effectId !== effectIdOf(view) || view.stoppedEffects.has(effectId))
      return []
    const step = { agent_step: agentStep, effect_id: effectId }
    const begun = view.openStep !== undefined
    const failed = end?.end === 'fail'
    // A step that says all it has to say at once needs no beginning in the log; nor does one that said nothing.
    const whole =
      end !== undefined && (failed ? facts.length === 0 : facts.every(fact => fact.type === 'ItemSaid'))
    const begin: TaskEvent[] = begun || whole ? [] : [{ type: 'AgentStepStarted', data: step }]
    const told: TaskEvent[] = [...begin, ...facts]
    if (end === undefined) return told
    if (failed) {
      const items = itemsAfter(view, facts)
      const gone: TaskEvent[] =
        begun || !whole ? [{ type: 'AgentStepAbandoned', data: { ...step, items } }] : []
      return [...told, ...gone, ...afterFailure(end, view)]
    }
    const completed: TaskEvent = {
      type: 'AgentStepCompleted',
      data: { ...step, ...(end.usage === undefined ? {} : { usage: end.usage }) },
    }
    return [...told, ...afterStep(end, completed, view, judgement)]
  },

  AbandonStep: (_, view) => (view.status === 'working' ? abandoned(view) : []),

  PauseTask: (_, view) => {
    if (statusOf(view) !== 'working' || view.cancelRequested) throw wrongState(view)
    return view.pauseRequested ? [] : [{ type: 'PauseRequested', data: {} }]
  },

  PauseNow: ({ reason }, view, { can, now, ttls }) => {
    if (view.cancelRequested || !can('TaskPaused')) return []
    return [
      ...abandoned(view),
      { type: 'TaskPaused', data: { from: 'working', reason, ...deadline(ttls.paused, now) } },
    ]
  },

  ResumeTask: (_, view, { can, ttls }) => {
    const status = statusOf(view)
    if (status === 'working' || status === 'queued') return []
    if (status === 'input-required') {
      throw new Refusal('InputMissing', { missing_call_ids: view.pendingCalls.map(call => call.call_id) })
    }
    if (!can('TaskResumed')) throw wrongState(view)
    return [{ type: 'TaskResumed', data: { from: 'paused', ...ttlSeconds(ttls.working) } }]
  },

  // Only a working task has something to stop first; any other is canceled in the same turn.
  CancelTask: ({ reason }, view, { can }) => {
    const status = statusOf(view)
    if (status === 'canceled' || view.cancelRequested) return []
    if (!can('TaskCanceled')) throw new Refusal('NotCancelable', { status })
    const why = reason === undefined ? {} : { reason }
    const requested: TaskEvent = { type: 'CancelRequested', data: why }
    if (status === 'working') return [requested]
    return [requested, ...agentStopped(view), { type: 'TaskCanceled', data: { from: status, ...why } }]
  },

  FinishCancel: ({ receipts }, view, { can }) => {
    if (!view.cancelRequested || !can('TaskCanceled')) return []
    const why = view.cancelReason === undefined ? {} : { reason: view.cancelReason }
    return [
      ...receipts.map((data): TaskEvent => ({ type: 'EffectStopped', data })),
      ...abandoned(view),
      ...agentStopped(view),
      { type: 'TaskCanceled', data: { from: view.status as TaskStatus, ...why } },
    ]
  },

  // A task that is being canceled is left to its cancel; one that moved on since it was found has another deadline.
  ExpireTask: ({ startedAt }, view, { can, now }) => {
    if (view.cancelRequested || !can('TaskExpired')) return []
    return (deadlineOf(view, startedAt) ?? Number.POSITIVE_INFINITY) <= now ? expired(view) : []
  },

  DeleteTask: ({ principal }, view) => {
    if (!isTerminal(statusOf(view))) throw wrongState(view)
    return [{ type: 'TaskDeleted', data: { by: principal } }]
  },
}

/** The items of the step once these facts are stored, with the number of their parts. */
const itemsAfter = (view: TaskView, facts: StepFact[]) => {
  const items = new Map(view.openStep?.items)
  for (const { type, data } of facts) {
    if (type === 'ItemDelta') items.set(data.item_id, (items.get(data.item_id) ?? 0) + (data.first ? 1 : 0))
    if (type === 'ItemSaid') items.set(data.item_id, data.texts.length)
  }
  return [...items].map(([item_id, parts]) => ({ item_id, parts }))
}

export const decide = (command: TaskCommand, view: TaskView, judgement: Judgement): TaskEvent[] =>
  (decisions[command.type] as Decide<TaskCommand['type']>)(command, view, judgement)
