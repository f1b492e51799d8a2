// The fold of a task's stored events into spans: each is given by the event that ends it, with the times of the log.
import type { RecordedTaskEvent } from '../contract/decoders/task.ts'
import type { Header } from '../contract/stored.ts'
import type { TaskEventData, TaskEventType } from '../contract/task-events.ts'
import type { TaskStatus } from '../contract/wire.ts'
import {
  agentSpan,
  chatSpan,
  type Span,
  type SpanTask,
  spanTaskOf,
  type ToolCall,
  toolSpan,
  type Usage,
} from './spans.ts'

/** The types of events that end a task, and of all that may end a span. */
export const endsTask: ReadonlySet<string> = new Set<TaskEventType>([
  'TaskCompleted',
  'TaskFailed',
  'TaskCanceled',
  'TaskExpired',
])
export const endsSpan: ReadonlySet<string> = new Set([
  ...endsTask,
  ...(['AgentStepCompleted', 'AgentStepAbandoned'] satisfies TaskEventType[]),
  ...(['EffectCompleted', 'EffectStopped', 'InputAccepted'] satisfies TaskEventType[]),
])

/** What a step says of its model call; undefined: it made none. */
const modelCallOf = ({ request, response = {} }: TaskEventData<'AgentStepCompleted'>) =>
  request && { model: request.model, response }

const sum = (total: Usage, given: Usage): Usage => {
  const both = { ...total, ...given }
  if (total.input !== undefined && given.input !== undefined) both.input = total.input + given.input
  if (total.output !== undefined && given.output !== undefined) both.output = total.output + given.output
  return both
}
const usageIn = (given: Record<string, unknown> = {}): Usage => {
  const { input_tokens: input, output_tokens: output } = given
  return {
    ...(Number.isSafeInteger(input) ? { input: input as number } : {}),
    ...(Number.isSafeInteger(output) ? { output: output as number } : {}),
  }
}
const failure = (status: string | undefined) => (status === 'incomplete' ? status : undefined)

type Fold<T extends TaskEventType> = (data: TaskEventData<T>, at: number, header: Header) => Span[] | void

export type TaskSpans = {
  /** Takes the next event of the stream; the answer: the spans that it ended, the outermost last. */
  take(event: RecordedTaskEvent): Span[]
}

/** `caller`: the effect by which another task called this one. */
export const createTaskSpans = (caller: string | undefined): TaskSpans => {
  let known: SpanTask | undefined
  let startedAt: number | undefined
  /** The agent's model as far as it is known; `hasModel`: it has one. */
  let model: string | undefined
  let hasModel = false
  let usage: Usage = {}
  /** When the open step became due. */
  let stepStart: number | undefined
  /** When each event between two steps was stored, by its revision. */
  const times = new Map<number, number>()
  const names = new Map<string, string>()
  const calls = new Map<string, ToolCall>()

  const task = (): SpanTask => {
    if (known === undefined) throw new Error('a task without a beginning')
    return known
  }
  const begun = (call: ToolCall) => {
    if (!calls.has(call.callId)) calls.set(call.callId, call)
  }
  const named = (call: { call_id: string; name: string } | undefined) => {
    if (call !== undefined) names.set(call.call_id, call.name)
  }
  /** None for a call that never ran. */
  const ended = (callId: string, end: number, error: string | undefined): Span[] => {
    const call = calls.get(callId)
    names.delete(callId)
    calls.delete(callId)
    return call === undefined ? [] : [toolSpan(task(), call, end, error)]
  }

  /**
   * A step is due from the event that caused it. Its own first event is stored when there is something to store: the
   * wait for the model lies before that.
   */
  const dueAt = ({ stream, causation_id }: Header, at: number): number => {
    if (!causation_id.startsWith(`${stream}@`)) return at
    return times.get(Number(causation_id.slice(stream.length + 1))) ?? at
  }
  /** When the step that ends here became due. */
  const endStep = (header: Header, at: number): number => {
    const start = stepStart ?? dueAt(header, at)
    stepStart = undefined
    times.clear()
    return start
  }

  const endTask = (status: TaskStatus, end: number, error?: string): Span[] => {
    const open = [...calls.keys()].flatMap(callId => ended(callId, end, status))
    if (startedAt === undefined) return open
    const run = { status, caller, hasModel, model: hasModel ? model : undefined, usage }
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
    AgentStepStarted: (_, at, header) => {
      stepStart = dueAt(header, at)
    },
    ItemDelta: data => named(data.call),
    ItemSaid: data => named(data.call),
    AgentStepCompleted: (data, at, header) => {
      const start = endStep(header, at)
      const used = usageIn(data.usage)
      usage = sum(usage, used)
      const call = modelCallOf(data)
      if (call === undefined) return
      hasModel = true
      if (data.compressed === undefined) model = call.model
      const course = { start, end: at, error: undefined }
      return [chatSpan(task(), { effectId: data.effect_id, usage: used, ...call }, course)]
    },
    AgentStepAbandoned: (data, at, header) => {
      const start = endStep(header, at)
      names.clear()
      const call = { effectId: data.effect_id, model, usage: {} }
      return hasModel ? [chatSpan(task(), call, { start, end: at, error: 'abandoned' })] : []
    },
    EffectIntended: ({ effect_id: effect, call_id: callId, name }, at) => {
      begun({ callId, name, effect, start: at })
    },
    EffectCompleted: ({ call_id, status }, at) => ended(call_id, at, failure(status)),
    EffectStopped: ({ effect_id }, at) => {
      const call = [...calls.values()].find(({ effect }) => effect === effect_id)
      return ended(call?.callId ?? '', at, 'canceled')
    },
    InputRequired: (data, at) => {
      for (const callId of data.calls) {
        begun({ callId, name: names.get(callId) ?? '', effect: undefined, start: at })
      }
    },
    InputAccepted: ({ item }, at) =>
      item.type === 'tool_result' ? ended(item.call_id, at, failure(item.status)) : [],
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
      if (stepStart === undefined) times.set(header.revision, at)
      return spans
    },
  }
}
