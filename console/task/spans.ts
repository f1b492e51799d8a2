// Finds what took time in a task: waits, steps of the agent, calls and subagents, each from one event to another.
import { taskEnds } from '../../src/contract/charts/task-state.ts'
import type { EntryKind } from '../../src/contract/code-agent.ts'
import { millisOf } from '../../src/history/task/millis.ts'
import type { Journal } from './journal.ts'
import type { Event } from './past.ts'

export type SpanKind = 'wait' | 'model' | 'tool' | 'child'
export type Span = {
  kind: SpanKind
  name: string
  /** What the code of a user's agent has asked for. */
  does?: EntryKind
  /** When a sleep ends at the latest, or when a call times out (milliseconds since 1970). */
  until?: number
  /** From the second run on: the number of the run. */
  attempt?: number
  /** The numbers of the first and of the last event. `to` is undefined while the span goes on. */
  from: number
  to: number | undefined
  fromMs: number
  toMs: number | undefined
  /** How the span ended. */
  outcome: string | undefined
  callId?: string
  effectId?: string
  /** The id of the subagent's task. */
  child?: string
  safe?: boolean
}

const waits: Record<string, string> = {
  TaskCreated: 'Waits to start',
  InputRequired: 'Waits for input',
  TaskPaused: 'Paused',
}

/** How the spans of calls of code look. The others look like tools. */
const kindsOfCode: Partial<Record<EntryKind, SpanKind>> = {
  model: 'model',
  agent: 'child',
  ask: 'wait',
  sleep: 'wait',
  message: 'wait',
}
/** How a call of code has ended without a value, in a word. */
const outcomes: Record<string, string> = { dropped: 'stopped', timeout: 'timed out' }

/** `journal`: what the code of a user's agent has asked for up to the newest event. */
export const createSpans = (journal: Journal) => {
  const all: Span[] = []
  /** The newest span of each call. */
  const byCall = new Map<string, Span>()
  /** The spans that go on, by their keys. */
  const open = new Map<string, Span>()

  const begin = (key: string, { header }: Event, span: Pick<Span, 'kind' | 'name'> & Partial<Span>) => {
    const begun: Span = {
      from: header.revision,
      to: undefined,
      fromMs: millisOf(header.time),
      toMs: undefined,
      outcome: undefined,
      ...span,
    }
    all.push(begun)
    if (begun.callId !== undefined) byCall.set(begun.callId, begun)
    open.set(key, begun)
    return begun
  }
  const end = (key: string, { header }: Event, outcome: string) => {
    const span = open.get(key)
    if (span === undefined) return
    Object.assign(span, { to: header.revision, toMs: millisOf(header.time), outcome })
    open.delete(key)
  }

  /** What the journal says about a call. */
  const askedBy = (
    callId: string,
    name: string,
    kind: SpanKind,
  ): Pick<Span, 'kind' | 'name'> & Partial<Span> => {
    const entry = journal.ofCall(callId)?.entry
    if (entry === undefined) return { kind, name }
    const { do: does, name: own = does, until } = entry
    return { kind: kindsOfCode[does] ?? kind, name: own, does, ...(until === undefined ? {} : { until }) }
  }

  const addStep = (event: Event): void => {
    const { type, data } = event
    if (type === 'AgentStepCompleted' && journal.isOfCode()) {
      for (const { do: does, call_id } of data.journal ?? [])
        if (does === 'ask' && call_id !== undefined)
          begin(call_id, event, { ...askedBy(call_id, does, 'wait'), callId: call_id })
      return
    }
    if (type === 'AgentStepStarted') begin('step', event, { kind: 'model', name: `Step ${data.agent_step}` })
    if (type === 'AgentStepCompleted') {
      if (!open.has('step')) begin('step', event, { kind: 'model', name: `Step ${data.agent_step}` })
      end('step', event, 'completed')
    }
    if (type === 'AgentStepAbandoned') end('step', event, 'broke off')
  }
  const addCall = (event: Event): void => {
    const { type, data } = event
    if (type === 'EffectIntended') {
      const { effect_id, call_id, name, child, safe, attempt } = data
      end(effect_id, event, 'outcome unknown')
      begin(effect_id, event, {
        ...askedBy(call_id, name, child === undefined ? 'tool' : 'child'),
        ...(attempt === undefined ? {} : { attempt }),
        callId: call_id,
        effectId: effect_id,
        ...(child === undefined ? {} : { child }),
        safe: safe === true,
      })
    }
    if (type === 'EffectCompleted')
      end(data.effect_id ?? data.call_id, event, outcomes[data.error?.kind ?? ''] ?? data.status)
    if (type === 'EffectStopped') end(data.effect_id, event, data.stopped ? 'stopped' : 'did not stop')
    if (type === 'InputAccepted' && data.item.type === 'tool_result') {
      const { call_id } = data.item
      for (const [key, span] of open) if (span.callId === call_id) end(key, event, 'result given')
    }
  }

  const addWait = (event: Event): void => {
    const { type, data } = event
    if (type === 'TaskStarted' || type === 'TaskResumed' || type === 'InputAnswered')
      end('wait', event, 'over')
    // The questions of code have spans of their own.
    const isShown = type === 'InputRequired' && data.calls.length > 0 && data.calls.every(id => open.has(id))
    const wait = isShown ? undefined : waits[type]
    if (wait !== undefined) begin('wait', event, { kind: 'wait', name: wait })
    const isAway = type === 'WorkerAwaited' ? data.over !== true : type === 'TaskQueued' && data.waiting_for
    if (isAway && !open.has('worker')) begin('worker', event, { kind: 'wait', name: 'Waits for a worker' })
    if (type === 'TaskStarted' || (type === 'WorkerAwaited' && data.over === true))
      end('worker', event, 'a worker came')
  }

  return {
    all: all as readonly Span[],
    ofCall: (callId: string): Span | undefined => byCall.get(callId),
    add(event: Event): void {
      const { type } = event
      addWait(event)
      addStep(event)
      addCall(event)
      if (taskEnds.has(type)) for (const key of [...open.keys()]) end(key, event, 'ended with the task')
    },
  }
}
export type Spans = ReturnType<typeof createSpans>

/** What kind of entry of code a span is, beside its name, or until when it waits. */
export const aboutSpan = ({ does, name, until, attempt }: Span, momentOf: (ms: number) => string): string =>
  [
    does === undefined || does === name ? undefined : does,
    does === 'sleep' && until !== undefined ? `until ${momentOf(until)}` : undefined,
    attempt === undefined ? undefined : `run ${attempt}`,
  ]
    .filter(part => part !== undefined)
    .join(', ')

/** A span as it was after the first `count` events. If the event that ends it comes later, it still goes on. */
export const spanAt = (span: Span, count: number): Span =>
  span.to === undefined || span.to < count
    ? span
    : { ...span, to: undefined, toMs: undefined, outcome: undefined }
