// Counts what the events of each commit say: events by type, effects by outcome, and calls of models with their tokens.
import { taskEvents } from '../contract/decoders/task.ts'
import type { TaskEventData, TaskEventType } from '../contract/events/task-events.ts'
import type { Recorded } from '../contract/stored.ts'
import { taskIdOf } from '../contract/task-stream.ts'
import { outcomeUnknown } from '../history/task-object.ts'

/** The kinds of effects. `model`: an agent step, even if the agent has no model. `child`: a subagent's task. */
export const effectKinds = ['tool', 'child', 'model'] as const
/** The outcomes of effects. `unknown`: the outcome is not known, or the effect did not stop within its deadline. */
export const effectOutcomes = ['completed', 'failed', 'stopped', 'unknown'] as const
type Kind = (typeof effectKinds)[number]
type Outcome = (typeof effectOutcomes)[number]

/** Counts the event with index `n` in a commit. The event belongs to the stream `stream`. */
type Count<T extends TaskEventType> = (
  data: TaskEventData<T>,
  stream: string,
  events: readonly Recorded[],
  n: number,
) => void

const numberIn = (usage: Record<string, unknown> | undefined, name: string): number => {
  const value = usage?.[name]
  return typeof value === 'number' ? value : 0
}

export const createEventCounts = () => {
  const byType = new Map<string, number>()
  const effects = Object.fromEntries(
    effectKinds.map(kind => [kind, Object.fromEntries(effectOutcomes.map(outcome => [outcome, 0]))]),
  ) as Record<Kind, Record<Outcome, number>>
  const model = { calls: 0, inputTokens: 0, outputTokens: 0 }
  /** Effects that are tasks of subagents, by the stream of the unfinished caller: EffectStopped names no kind. */
  const children = new Map<string, Set<string>>()

  /** Effects that completed during a cancel, by the stream of their task. An EffectStopped of them must not count. */
  const canceling = new Map<string, Set<string>>()

  const kindOf = (stream: string, effectId: string): Kind => {
    if (children.get(stream)?.has(effectId)) return 'child'
    const inTask = effectId.slice(taskIdOf(stream).length + 1) // `<step>`, or `<step>/<call>`
    return inTask.includes('/') ? 'tool' : 'model'
  }
  const ended = (_: object, stream: string) => {
    children.delete(stream)
    canceling.delete(stream)
  }

  const table: { [T in TaskEventType]?: Count<T> } = {
    EffectIntended: ({ effect_id, child }, stream) => {
      if (child !== undefined) children.set(stream, (children.get(stream) ?? new Set()).add(effect_id))
    },
    CancelRequested: (_, stream) => void canceling.set(stream, new Set()),
    EffectCompleted: ({ effect_id, child, status }, stream) => {
      if (effect_id === undefined) return // the call was refused and never ran
      const meanwhile = canceling.get(stream)
      if (meanwhile !== undefined && status !== 'completed') return
      meanwhile?.add(effect_id)
      effects[child === undefined ? 'tool' : 'child'][status === 'completed' ? 'completed' : 'failed']++
    },
    EffectStopped: ({ effect_id, stopped }, stream) => {
      if (canceling.get(stream)?.has(effect_id)) return
      effects[kindOf(stream, effect_id)][stopped ? 'stopped' : 'unknown']++
    },
    AgentStepCompleted: ({ effect_id, request, usage }, stream) => {
      effects.model.completed++
      canceling.get(stream)?.add(effect_id)
      if (request === undefined) return
      model.calls++
      model.inputTokens += numberIn(usage, 'input_tokens')
      model.outputTokens += numberIn(usage, 'output_tokens')
    },
    AgentError: () => void effects.model.failed++,
    AgentStepAbandoned: ({ effect_id }, stream, events, n) => {
      // Not unknown: the same commit has an EffectStopped of this step before this event, or an AgentError after it.
      const [before, after] = [events[n - 1], events[n + 1]]
      const receipt = before && taskEvents.find(before)
      const isStopped = receipt?.type === 'EffectStopped' && receipt.data.effect_id === effect_id
      const hasFailed = after?.header.type === 'AgentError' && after.header.stream === stream
      if (!isStopped && !hasFailed) effects.model.unknown++
    },
    TaskPaused: ({ reason }) => {
      if (reason === outcomeUnknown) effects.tool.unknown++
    },
    TaskCompleted: ended,
    TaskFailed: ended,
    TaskCanceled: ended,
    TaskExpired: ended,
  }

  return {
    byType,
    effects,
    model,
    follow(events: readonly Recorded[]): void {
      for (const [n, stored] of events.entries()) {
        const { type, stream, copy_of } = stored.header
        byType.set(type, (byType.get(type) ?? 0) + 1)
        const event = taskEvents.find(stored)
        if (event === undefined || copy_of !== undefined) continue // the past of a fork is no new work
        const count = table[event.type] as Count<TaskEventType> | undefined
        count?.(event.data, stream, events, n)
      }
    },
  }
}
export type EventCounts = ReturnType<typeof createEventCounts>
