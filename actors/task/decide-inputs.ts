// Decides which events follow from input to a task: results of its calls, and answers and messages from outside. Pure.
import { canonical } from '../../src/contract/canonical.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { TaskEvent } from '../../src/contract/task-events.ts'
import { isCanceling, isPausing } from '../../src/contract/task-state.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import { contributed } from '../../src/history/context.ts'
import { restOf, withRest } from '../../src/history/said.ts'
import { openCalls } from '../../src/history/task/calls.ts'
import { outcomeUnknown } from '../../src/history/task-object.ts'
import type { DecidedTask } from '../../src/history/task-view.ts'
import { standing } from './calls.ts'
import {
  agentDone,
  cut,
  type Decide,
  firstEvents,
  type Judgement,
  onwards,
  pausedFor,
  statusOf,
  ttlSeconds,
  unfinished,
  wrongState,
} from './events.ts'
import { turnEnded, userSays } from './group-chat.ts'
import { accept, answersFor } from './inbox.ts'

/**
 * Stores the output of a running call. Output that does not continue the stored output is dropped: a call that runs
 * again may say something else than in its earlier run.
 */
export const sayEffect: Decide<'SayEffect'> = ({ effectId, itemId, heard }, view) => {
  const call = openCalls(view).find(({ effect }) => effect.id === effectId)
  if (call === undefined || view.status !== 'working' || isCanceling(view.state)) return []
  const { text = '', itemId: item_id = itemId } = call.said ?? {}
  if (!heard.startsWith(text) || heard.length === text.length) return []
  const data = {
    agent_step: view.completedSteps,
    ...{ effect_id: effectId, item_id, call_id: call.callId },
    ...(call.said === undefined ? { first: true as const } : {}),
    delta: heard.slice(text.length),
  }
  return [{ type: 'EffectSaid', data }]
}

const takesResults: ReadonlySet<string> = new Set(['working', 'paused', 'input-required'])

const goesOn = ({ ttls }: Judgement): TaskEvent => ({
  type: 'InputAnswered',
  data: { from: 'input-required', ...ttlSeconds(ttls.working) },
})

// A group chat waits while the task of its turn waits. Meanwhile only the deadline of the turn's task counts.
export const turnWaits: Decide<'TurnWaits'> = ({ effectId, taskId, items }, view, judgement) => {
  const call = openCalls(view).find(({ effect }) => effect.id === effectId)
  const isWaiting = view.status === 'input-required'
  if (call === undefined || isCanceling(view.state) || !(isWaiting || view.status === 'working')) return []
  if (isPausing(view.state)) return [pausedFor('pause_requested', judgement)]
  const calls = items.map(({ call_id }) => call_id)
  if (canonical(calls) === canonical(view.pendingCalls.map(({ call_id }) => call_id))) return []
  const turn = { task_id: taskId, items }
  const required: TaskEvent = { type: 'InputRequired', data: { from: 'working', calls, turn } }
  return isWaiting ? [goesOn(judgement), required] : [required]
}

export const turnGoesOn: Decide<'TurnGoesOn'> = ({ effectId }, view, judgement) => {
  const isOpen = openCalls(view).some(({ effect }) => effect.id === effectId)
  return isOpen && view.status === 'input-required' ? [goesOn(judgement)] : []
}

// While a task is being canceled, a result is stored but does not move the task.
export const completeEffect: Decide<'CompleteEffect'> = (
  { effectId, itemId, outcome, heard = '' },
  view,
  judgement,
) => {
  const call = openCalls(view).find(({ effect }) => effect.id === effectId)
  if (call === undefined || !takesResults.has(view.status)) return []
  const ended = turnEnded(view, call.callId, outcome)
  const isTurn = ended.length > 0
  const { status, blocks, child, usage, ends, step } = outcome
  // The streamed output of a call begins its result, even if the call ended before this output could be stored.
  const whole = isTurn ? (outcome.failed ?? '') : outcome.content
  const content = heard === '' ? whole : withRest(heard, restOf(heard, whole))
  const completed: TaskEvent = {
    type: 'EffectCompleted',
    data: {
      agent_step: view.completedSteps,
      effect_id: effectId,
      item_id: call.said?.itemId ?? itemId,
      call_id: call.callId,
      status,
      ...(call.said === undefined ? { content } : { said: true, content: restOf(call.said.text, content) }),
      ...(blocks === undefined || blocks.length === 0 ? {} : { blocks }),
      ...(child === undefined ? {} : { child }),
      ...(usage === undefined ? {} : { usage }),
      ...(step === undefined ? {} : { env_step: step }),
      ...(ends === undefined ? {} : { ends }),
      ...(isTurn ? { turn: true } : {}),
    },
  }
  const stored = [...(view.status === 'input-required' ? [goesOn(judgement)] : []), ...ended, completed]
  if (view.status === 'paused') return stored
  return [...stored, ...onwards(standing(view, new Set([call.callId])), view, judgement)]
}

export const answerCalls: Decide<'AnswerCalls'> = (
  { answers, whole, message, keys, principal },
  view,
  judgement,
) => {
  const status = statusOf(view)
  const fresh = answersFor(answers, view, whole)
  if (fresh.length === 0) {
    // A request that repeats earlier answers changes nothing. If it has a new message, it is no repetition and is
    // refused.
    const isKnown = view.messages.some(({ content }) => canonical(content) === canonical(message?.content))
    if (message !== undefined && !isKnown)
      throw new Refusal('AlreadyAnswered', { call_id: answers[0]?.callId })
    return []
  }
  if (isTerminal(status) || isCanceling(view.state)) throw wrongState(view, 'answer', unfinished)
  const answered = openCalls(view).filter(({ callId }) => fresh.some(answer => answer.callId === callId))
  const accepted = [...cut(view, answered), ...accept(fresh, message, view, principal, keys)]
  const after = standing(view, new Set(fresh.map(({ callId }) => callId)))
  if (status === 'paused') {
    if (view.reason !== outcomeUnknown || after.running) return accepted
    const resumed: TaskEvent = {
      type: 'TaskResumed',
      data: { from: 'paused', ...ttlSeconds(judgement.ttls.working) },
    }
    return [...accepted, resumed, ...onwards(after, view, judgement)]
  }
  if (status !== 'input-required' || after.waiting.length > 0) return accepted
  const goesOn: TaskEvent = {
    type: 'InputAnswered',
    data: { from: 'input-required', ...ttlSeconds(judgement.ttls.working) },
  }
  const final = after.final && message === undefined
  return [...accepted, goesOn, ...onwards({ ...after, final }, view, judgement)]
}

// The task takes the answers and completes at once, without another step. Its stream keeps the answers; the
// conversation continues in another task.
export const continueElsewhere: Decide<'ContinueElsewhere'> = (
  { answers, created, start, seen, principal },
  view,
  judgement,
) => {
  if (statusOf(view) !== 'input-required') throw wrongState(view, 'answer', ['input-required'])
  const fresh = answersFor(answers, view, true)
  if (fresh.length === 0) throw wrongState(view, 'answer', ['input-required'])
  const own = contributed(view).concat(fresh.map(({ itemId }) => itemId))
  const { task_id } = created
  const said = { stream: taskStream(view.created?.task_id ?? ''), items: own }
  const context = [...seen.context.slice(0, -1), said, ...seen.context.slice(-1)]
  return {
    events: [
      ...accept(fresh, undefined, view, principal, {}),
      { type: 'InputAnswered', data: { from: 'input-required', ...ttlSeconds(judgement.ttls.working) } },
      agentDone(view),
      { type: 'TaskCompleted', data: { from: 'working', continued_by: task_id } },
    ],
    made: [{ created, events: firstEvents(created, start, { ...seen, context }, judgement) }],
  }
}

export const postMessage: Decide<'PostMessage'> = ({ itemId, content, isRetry, keys, principal }, view) => {
  const status = statusOf(view)
  if (isTerminal(status) || isCanceling(view.state)) throw wrongState(view, 'message', unfinished)
  const last = view.messages.findLast(({ by }) => by === principal)
  // If the last message had an idempotency key, its retry would have that key, so this request is no retry of it.
  const same = last !== undefined && !last.hasKey && canonical(last.content) === canonical(content)
  if (isRetry && same) return []
  return [...accept([], { itemId, content }, view, principal, keys), ...userSays(view, itemId, content)]
}

const unread = ({ messages }: DecidedTask): string[] =>
  messages.flatMap(({ id, at }) => (at === undefined ? [id] : []))
const results = (view: DecidedTask): string[] => {
  const written = new Set(unread(view))
  return view.inbox.filter(id => !written.has(id))
}

/** Results belong to their calls, so the agent sees them before messages that came meanwhile. */
export const consumeInputs: Decide<'ConsumeInputs'> = ({ revision }, view) =>
  view.revision !== revision ||
  view.status !== 'working' ||
  isCanceling(view.state) ||
  view.inbox.length === 0
    ? []
    : [
        {
          type: 'InputConsumed',
          data: { agent_step: view.completedSteps + 1, items: [...results(view), ...unread(view)] },
        },
      ]
