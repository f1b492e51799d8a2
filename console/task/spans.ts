// Finds what took time in a task: waits, steps of the agent, calls and subagents, each from one event to another.
import { taskEnds } from '../../src/contract/task-state.ts'
import { millisOf } from '../../src/history/task/millis.ts'
import type { Event } from './past.ts'

export type SpanKind = 'wait' | 'model' | 'tool' | 'child'
export type Span = {
  kind: SpanKind
  name: string
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

export const createSpans = () => {
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

  const addStep = (event: Event): void => {
    const { type, data } = event
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
      const { effect_id, call_id, name, child, safe } = data
      end(effect_id, event, 'outcome unknown')
      const kind = child === undefined ? 'tool' : 'child'
      begin(effect_id, event, {
        kind,
        name,
        callId: call_id,
        effectId: effect_id,
        ...(child === undefined ? {} : { child }),
        safe: safe === true,
      })
    }
    if (type === 'EffectCompleted' && data.effect_id !== undefined) end(data.effect_id, event, data.status)
    if (type === 'EffectStopped') end(data.effect_id, event, data.stopped ? 'stopped' : 'did not stop')
    if (type === 'InputAccepted' && data.item.type === 'tool_result') {
      const { call_id } = data.item
      for (const [key, span] of open) if (span.callId === call_id) end(key, event, 'result given')
    }
  }

  return {
    all: all as readonly Span[],
    ofCall: (callId: string): Span | undefined => byCall.get(callId),
    add(event: Event): void {
      const { type } = event
      if (type === 'TaskStarted' || type === 'TaskResumed' || type === 'InputAnswered')
        end('wait', event, 'over')
      const wait = waits[type]
      if (wait !== undefined) begin('wait', event, { kind: 'wait', name: wait })
      addStep(event)
      addCall(event)
      if (taskEnds.has(type)) for (const key of [...open.keys()]) end(key, event, 'ended with the task')
    },
  }
}
export type Spans = ReturnType<typeof createSpans>

/** A span as it was after the first `count` events. If the event that ends it comes later, it still goes on. */
export const spanAt = (span: Span, count: number): Span =>
  span.to === undefined || span.to < count
    ? span
    : { ...span, to: undefined, toMs: undefined, outcome: undefined }
