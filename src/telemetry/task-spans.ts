// Folds a task's stored events into spans. A span is made at the event that ends it, with times from the log.
import type { RecordedTaskEvent } from '../contract/decoders/task.ts'
import type { TaskEventData, TaskEventType } from '../contract/events/task-events.ts'
import type { Header } from '../contract/stored.ts'
import type { TaskStatus } from '../contract/wire.ts'
import {
  agentSpan,
  modelCallSpan,
  type Span,
  type SpanTask,
  spanTaskOf,
  type ToolCall,
  toolSpan,
  type Usage,
} from './spans.ts'

// Reads and adds up the tokens that model calls used, if the endpoint reports them.

const sum = (total: Usage, more: Usage): Usage => {
  const both = { ...total, ...more }
  if (total.input !== undefined && more.input !== undefined) both.input = total.input + more.input
  if (total.output !== undefined && more.output !== undefined) both.output = total.output + more.output
  return both
}

const usageIn = (reported: Record<string, unknown> = {}): Usage => {
  const { input_tokens: input, output_tokens: output } = reported
  return {
    ...(Number.isSafeInteger(input) ? { input: input as number } : {}),
    ...(Number.isSafeInteger(output) ? { output: output as number } : {}),
  }
}

/**
 * Finds out when each step of a task became due: at the time of the event that caused the step. The time of the step's
 * own first event would be too late: that event is stored only when the step has something to store, so after the wait
 * for the model.
 */
const createStepTimes = () => {
  /** When the open step became due, in milliseconds. */
  let start: number | undefined
  /** The time of each event between two steps, by its revision. */
  const times = new Map<number, number>()

  const dueAt = ({ stream, causation_id }: Header, at: number): number => {
    if (!causation_id.startsWith(`${stream}@`)) return at
    return times.get(Number(causation_id.slice(stream.length + 1))) ?? at
  }

  return {
    begin(header: Header, at: number): void {
      start = dueAt(header, at)
    },
    /** The time at which the step that ends here became due. */
    end(header: Header, at: number): number {
      const due = start ?? dueAt(header, at)
      start = undefined
      times.clear()
      return due
    },
    /** Notes the time of an event that may cause a step. */
    note({ revision }: Header, at: number): void {
      if (start === undefined) times.set(revision, at)
    },
  }
}

/** Keeps the running calls of a task, and the names of all calls that its agent has made. */
const createOpenCalls = (task: () => SpanTask) => {
  const names = new Map<string, string>()
  const calls = new Map<string, ToolCall>()

  /** Ends the span of a call. A call that never ran has no span. */
  const end = (callId: string, at: number, error: string | undefined): Span[] => {
    const call = calls.get(callId)
    names.delete(callId)
    calls.delete(callId)
    return call === undefined ? [] : [toolSpan(task(), call, at, error)]
  }

  return {
    /** Notes the name of a call that the agent has made. */
    name(call: { call_id: string; name: string } | undefined): void {
      if (call !== undefined) names.set(call.call_id, call.name)
    },
    nameOf: (callId: string): string => names.get(callId) ?? '',
    forgetNames: (): void => names.clear(),
    begin(call: ToolCall): void {
      // The span of a call that was approved begins when the call does.
      const known = calls.get(call.callId)
      if (known === undefined || (known.effect === undefined && call.effect !== undefined)) {
        calls.set(call.callId, call)
      }
    },
    end,
    endAll: (at: number, error: string): Span[] =>
      [...calls.keys()].flatMap(callId => end(callId, at, error)),
    /** The id of the call that runs as this effect. */
    ofEffect: (effectId: string): string | undefined =>
      [...calls.values()].find(({ effect }) => effect === effectId)?.callId,
  }
}

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
      return [modelCallSpan(task(), { effectId: data.effect_id, usage: used, ...call }, course)]
    },
    AgentStepAbandoned: (data, at, header) => {
      const start = steps.end(header, at)
      calls.forgetNames()
      const call = { effectId: data.effect_id, model, protocol, usage: {} }
      return hasModel ? [modelCallSpan(task(), call, { start, end: at, error: 'abandoned' })] : []
    },
    EffectIntended: ({ effect_id: effect, call_id: callId, name }, at) =>
      calls.begin({ callId, name, effect, start: at }),
    EffectCompleted: ({ call_id, status }, at) => calls.end(call_id, at, failure(status)),
    EffectStopped: ({ effect_id }, at) => calls.end(calls.ofEffect(effect_id) ?? '', at, 'canceled'),
    InputRequired: (data, at) => {
      if (data.turn !== undefined) return // the calls are those of another task
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
