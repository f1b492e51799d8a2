// Folds a task's stored events into spans. A span is made at the event that ends it, with times from the log.
import type { RecordedTaskEvent } from '../contract/decoders/task.ts'
import type { Header } from '../contract/stored.ts'
import type { TaskEventData, TaskEventType } from '../contract/task-events.ts'
import type { TaskStatus } from '../contract/wire.ts'
import { createOpenCalls } from './open-calls.ts'
import { agentSpan, chatSpan, type Span, type SpanTask, spanTaskOf, type Usage } from './spans.ts'
import { createStepTimes } from './step-times.ts'
import { sum, usageIn } from './usage.ts'

/** The types of the events that end a task. */
export const endsTask: ReadonlySet<string> = new Set<TaskEventType>([
  'TaskCompleted',
  'TaskFailed',
  'TaskCanceled',
  'TaskExpired',
])
/** The types of all events that may end a span. */
export const endsSpan: ReadonlySet<string> = new Set([
  ...endsTask,
  ...(['AgentStepCompleted', 'AgentStepAbandoned'] satisfies TaskEventType[]),
  ...(['EffectCompleted', 'EffectStopped', 'InputAccepted'] satisfies TaskEventType[]),
])

/** The model call of a step; undefined if the step made none. */
const modelCallOf = ({ request, response = {} }: TaskEventData<'AgentStepCompleted'>) =>
  request && { model: request.model, protocol: request.protocol, response }

const failure = (status: string | undefined) => (status === 'incomplete' ? status : undefined)

type Fold<T extends TaskEventType> = (data: TaskEventData<T>, at: number, header: Header) => Span[] | void

export type TaskSpans = {
  /** Takes the next event of the stream. Returns the spans that the event ended; the outermost span is the last. */
  take(event: RecordedTaskEvent): Span[]
}

/** Makes the fold of a task. `caller` is the effect with which another task called this task. */
export const createTaskSpans = (caller: string | undefined): TaskSpans => {
  let known: SpanTask | undefined
  let startedAt: number | undefined
  /** The name of the agent's model, if it is known. `hasModel` says whether the agent has a model. */
  let model: string | undefined
  let hasModel = false
  /** The protocol of the newest call of a model. */
  let protocol: string | undefined
  let usage: Usage = {}
  const steps = createStepTimes()

  const task = (): SpanTask => {
    if (known === undefined) throw new Error('the stream of a task does not begin with TaskCreated')
    return known
  }
  const calls = createOpenCalls(task)

  const endTask = (status: TaskStatus, end: number, error?: string): Span[] => {
    const open = calls.endAll(end, status)
    if (startedAt === undefined) return open
    const run = { status, caller, hasModel, model: hasModel ? model : undefined, protocol, usage }
    return [...open, agentSpan(task(), run, { start: startedAt, end, error })]
  }

  const folds: { [T in TaskEventType]?: Fold<T> } = {
    TaskCreated: data => {
      known = spanTaskOf(data)
      model = data.request.agent_config?.model ?? undefined
    },
    TaskStarted: (_, at) => {
      startedAt = at
    },
    ToolsOffered: () => {
      hasModel = true
    },
    AgentStepStarted: (_, at, header) => steps.begin(header, at),
    ItemDelta: data => calls.name(data.call),
    ItemSaid: data => calls.name(data.call),
    AgentStepCompleted: (data, at, header) => {
      const start = steps.end(header, at)
      const used = usageIn(data.usage)
      usage = sum(usage, used)
      const call = modelCallOf(data)
      if (call === undefined) return
      hasModel = true
      protocol = call.protocol
      if (data.compressed === undefined) model = call.model
      const course = { start, end: at, error: undefined }
      return [chatSpan(task(), { effectId: data.effect_id, usage: used, ...call }, course)]
    },
    AgentStepAbandoned: (data, at, header) => {
      const start = steps.end(header, at)
      calls.forgetNames()
      const call = { effectId: data.effect_id, model, protocol, usage: {} }
      return hasModel ? [chatSpan(task(), call, { start, end: at, error: 'abandoned' })] : []
    },
    EffectIntended: ({ effect_id: effect, call_id: callId, name }, at) =>
      calls.begin({ callId, name, effect, start: at }),
    EffectCompleted: ({ call_id, status }, at) => calls.end(call_id, at, failure(status)),
    EffectStopped: ({ effect_id }, at) => calls.end(calls.ofEffect(effect_id) ?? '', at, 'canceled'),
    InputRequired: (data, at) => {
      for (const callId of data.calls) {
        calls.begin({ callId, name: calls.nameOf(callId), effect: undefined, start: at })
      }
    },
    InputAccepted: ({ item }, at) =>
      item.type === 'tool_result' ? calls.end(item.call_id, at, failure(item.status)) : [],
    TaskCompleted: (_, at) => endTask('completed', at),
    TaskFailed: ({ error }, at) => endTask('failed', at, String(error.code)),
    TaskCanceled: (_, at) => endTask('canceled', at),
    TaskExpired: (_, at) => endTask('expired', at),
  }

  return {
    take({ type, header, data }) {
      const at = Date.parse(header.time)
      const fold = folds[type] as Fold<TaskEventType> | undefined
      const spans = fold?.(data, at, header) ?? []
      steps.note(header, at)
      return spans
    },
  }
}
