// Decides which events follow from the reports and the end of a running step. Pure.
import type { ModelCall } from '../../../src/contract/agent.ts'
import { isCanceling, isPausing } from '../../../src/contract/charts/task-state.ts'
import type { RecordedEnd, StepEvent } from '../../../src/contract/commands/commands.ts'
import type { ModelResponse, TaskEvent, TaskEventData } from '../../../src/contract/events/task-events.ts'
import { system } from '../../../src/history/task/messages.ts'
import { opensPart } from '../../../src/history/task/output.ts'
import { effectIdOf } from '../../../src/history/task/steps.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'
import { callsAfter, planned } from './calls.ts'
import { type At, agentDone, type Decide, hasUnread, onwards, openItems, pausedFor } from './events.ts'
import { makeChild } from './make-child.ts'

type Failure = Extract<RecordedEnd, { end: 'fail' }>
type Whole = Exclude<RecordedEnd, { end: 'fail' | 'again' }>

/** A task that is being canceled stores what its step did, but does not fail. */
const afterFailure = ({ error }: Failure, { created, state }: DecidedTask): TaskEvent[] =>
  isCanceling(state)
    ? []
    : [
        {
          type: 'AgentError',
          data: { agent_id: created?.agent_id ?? '', error: error.message, code: error.code },
        },
        { type: 'TaskFailed', data: { from: 'working', error } },
      ]

/**
 * The events after a step without calls. `isFinal`: the step gave the answer of the task, and no message waits for the
 * agent. If a message waits, the next step answers it.
 */
const afterStep = (end: Whole, isFinal: boolean, view: DecidedTask, at: At): TaskEvent[] => {
  if (isCanceling(view.state)) return []
  if (end.end === 'pause') return [pausedFor(end.reason, at)]
  if (end.end === 'correct') {
    const item = { type: 'message', id: end.itemId, role: 'user', message_content: end.message } as const
    const asked: TaskEvent = { type: 'InputAccepted', data: { by: system, item } }
    return isPausing(view.state) ? [asked, pausedFor('pause_requested', at)] : [asked]
  }
  if (isFinal) {
    return [agentDone(view), { type: 'TaskCompleted', data: { from: 'working' } }]
  }
  return isPausing(view.state) ? [pausedFor('pause_requested', at)] : []
}

/** The items of the open step after these events, each with the number of its parts. */
const itemsAfter = (view: DecidedTask, events: StepEvent[]) => {
  const items = new Map(view.openStep?.items)
  for (const { type, data } of events) {
    if (type === 'ItemDelta') {
      items.set(data.item_id, (items.get(data.item_id) ?? 0) + (opensPart(data) ? 1 : 0))
    }
    if (type === 'ItemSaid') items.set(data.item_id, data.call === undefined ? data.texts.length : 0)
  }
  return openItems(items)
}

/**
 * A prompt usually begins with the tokens of the previous model call. `shared` is the number of equal tokens at the
 * beginning. Only this number and the other tokens (`rest`) are stored.
 */
const sharedIds = (ids: number[], before: number[]): { shared: number; rest: number[] } => {
  const differs = ids.findIndex((id, n) => id !== before[n])
  const shared = differs < 0 ? ids.length : differs
  return { shared, rest: ids.slice(shared) }
}
const responseOf = ({ response }: ModelCall, { tokenIds }: DecidedTask): ModelResponse => {
  const { prompt_token_ids: ids, ...rest } = response
  return ids === undefined ? rest : { ...rest, prompt_token_ids: sharedIds(ids, tokenIds) }
}

/** What a completed step stores besides its items: its usage, its model call, and how it summed up the context. */
const accountOf = (end: Whole, view: DecidedTask): Partial<TaskEventData<'AgentStepCompleted'>> => {
  const account: Partial<TaskEventData<'AgentStepCompleted'>> = {}
  if (end.usage !== undefined) account.usage = end.usage
  if (end.call !== undefined) {
    account.request = end.call.request
    account.response = responseOf(end.call, view)
  }
  if (end.end === 'continue' && end.compressed !== undefined) account.compressed = end.compressed
  return account
}

/**
 * Whether the step gets an entry in the rollouts. The request must set `return_rollout` and, for a step that sums up
 * the context, also `include_compress_model_rollout`.
 */
const tellsRollout = (end: Whole, { created }: DecidedTask): boolean => {
  const { return_rollout, include_compress_model_rollout } = created?.request ?? {}
  const isSummary = end.end === 'continue' && end.compressed !== undefined
  return return_rollout === true && (!isSummary || include_compress_model_rollout === true)
}

/**
 * Whether a step is the last of its task: it gave the answer, or it was the one step that an agent has after the episode of
 * its environment session ended. A step that only summed up the context, or must correct its answer, is never the last.
 */
const endsTask = (end: Whole, { lastCall }: DecidedTask): boolean =>
  end.end === 'answer' || (lastCall !== undefined && end.end === 'continue' && end.compressed === undefined)

// A report of a step that is no longer wanted is dropped: the log already says that the step was stopped or abandoned.
export const recordStep: Decide<'RecordStep'> = (
  view,
  { agentStep, effectId, events, end, calls = [] },
  at,
) => {
  if (view.status !== 'working' || effectId !== effectIdOf(view) || view.stoppedEffects.has(effectId))
    return []
  const step = { agent_step: agentStep, effect_id: effectId }
  const begun = view.openStep !== undefined
  const cutOff = end?.end === 'fail' || end?.end === 'again'
  // A step that reports everything at once needs no start event. A failed step that said nothing needs none either.
  const whole =
    end !== undefined &&
    end.end !== 'again' &&
    (cutOff ? events.length === 0 : events.every(event => event.type === 'ItemSaid'))
  const begin: TaskEvent[] = begun || whole ? [] : [{ type: 'AgentStepStarted', data: step }]
  const reported: TaskEvent[] = [...begin, ...events]
  if (end === undefined) return reported
  if (end.end === 'fail' || end.end === 'again') {
    const items = itemsAfter(view, events)
    const gone: TaskEvent[] =
      begun || !whole ? [{ type: 'AgentStepAbandoned', data: { ...step, items, broke_off: true } }] : []
    return [...reported, ...gone, ...(end.end === 'fail' ? afterFailure(end, view) : [])]
  }
  if (calls.length > 0 && end.end === 'pause') throw new Error('a step that calls tools cannot pause')
  const isFinal = endsTask(end, view) && !hasUnread(view)
  const completed: TaskEvent = {
    type: 'AgentStepCompleted',
    data: {
      agent_step: agentStep,
      effect_id: effectId,
      ...accountOf(end, view),
      ...(isFinal ? { final: true } : {}),
      ...(tellsRollout(end, view) ? { rollout: true } : {}),
    },
  }
  if (calls.length === 0) return [...reported, completed, ...afterStep(end, isFinal, view, at)]
  // A task that is being canceled makes no more calls.
  if (isCanceling(view.state)) return [...reported, completed]
  const after = callsAfter(calls, view, isFinal)
  return {
    events: [...reported, completed, ...planned(calls, agentStep, effectId), ...onwards(after, view, at)],
    made: calls.flatMap(call => (call.plan === 'delegate' ? [makeChild(call.child, view, at)] : [])),
  }
}
