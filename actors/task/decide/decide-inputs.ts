// Decides which events follow from input to a task: results of its calls, and answers and messages from outside. Pure.

import { isCanceling, isPausing } from '../../../src/contract/charts/task-state.ts'
import type { TaskEvent } from '../../../src/contract/events/task-events.ts'
import { canonical } from '../../../src/contract/json/canonical.ts'
import { Invalid, Refusal } from '../../../src/contract/refusals.ts'
import { taskStream } from '../../../src/contract/task-stream.ts'
import { isTerminal } from '../../../src/contract/wire.ts'
import { contributed } from '../../../src/history/context.ts'
import { restOf, withRest } from '../../../src/history/said.ts'
import {
  asksAfter,
  callOf,
  isAsking,
  isPassive,
  isUnknown,
  openCalls,
  openQuestions,
} from '../../../src/history/task/calls.ts'
import { outcomeUnknown } from '../../../src/history/task-object.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'
import { accept, acceptAnswers, answersFor } from './accept.ts'
import { standing } from './calls.ts'
import { codeWaits, hasActive, messageCame, stopped } from './decide-turn.ts'
import {
  type At,
  agentDone,
  cut,
  type Decide,
  firstEvents,
  goesOn,
  onwards,
  pausedFor,
  statusOf,
  ttlSeconds,
  unfinished,
  wrongState,
} from './events.ts'
import { turnEnded, userSays } from './group-chat.ts'

/**
 * Stores the output of a running call. Output that does not continue the stored output is dropped: a call that runs
 * again may say something else than in its earlier run.
 */
export const sayEffect: Decide<'SayEffect'> = (view, { effectId, itemId, heard }) => {
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

/** Stores the name under which a call goes on outside, so that a restart takes it up and does not repeat it. */
export const promiseEffect: Decide<'PromiseEffect'> = (view, { effectId, promise }) => {
  const call = openCalls(view).find(({ effect }) => effect.id === effectId)
  if (call === undefined || !takesResults.has(view.status) || isCanceling(view.state)) return []
  if (call.effect.promise === promise && call.effect.asks === undefined) return []
  const named = promise === undefined ? {} : { promise }
  return [{ type: 'EffectPromised', data: { effect_id: effectId, call_id: call.callId, ...named } }]
}

/** The view after an event of a call that asks. */
const afterAsks = (view: DecidedTask, { type, data }: TaskEvent): DecidedTask => {
  const call = type === 'EffectPromised' ? view.calls.get(data.call_id) : undefined
  if (type !== 'EffectPromised' || call?.effect === undefined || data.asks === undefined) return view
  const effect = { ...call.effect, asks: asksAfter(call.effect.asks, data.asks) }
  return { ...view, calls: new Map(view.calls).set(data.call_id, { ...call, effect }) }
}

/** A task whose calls on the server all ask, or have ended, waits for its client. */
const waitsAgain = (view: DecidedTask, at: At): TaskEvent[] =>
  view.agentVersion === undefined ? onwards(standing(view), view, at) : codeWaits(view, at)

// A call that runs asks the client. The task waits once nothing else runs.
export const askClient: Decide<'AskClient'> = (view, { effectId, questions, state, withdrawn = [] }, at) => {
  const call = openCalls(view).find(({ effect }) => effect.id === effectId)
  if (call === undefined || !takesResults.has(view.status) || isCanceling(view.state)) return []
  const taken = openQuestions(call).flatMap(({ call_id }) => (withdrawn.includes(call_id) ? [call_id] : []))
  if (questions.length === 0 && taken.length === 0) return []
  const { promise } = call.effect
  const asks = {
    ...(questions.length === 0 ? {} : { questions }),
    ...(state === undefined ? {} : { state }),
    ...(taken.length === 0 ? {} : { withdrawn: taken }),
  }
  const data = {
    effect_id: effectId,
    call_id: call.callId,
    ...(promise === undefined ? {} : { promise }),
    asks,
  }
  const promised: TaskEvent = { type: 'EffectPromised', data }
  if (view.status === 'paused') return [promised]
  const after = afterAsks(view, promised)
  // A task that waits with the task of a subagent asks when that task has gone on.
  if (view.pendingTask !== undefined) return [promised]
  const wakes = view.status === 'input-required' ? [goesOn(at)] : []
  return [promised, ...wakes, ...waitsAgain(after, at)]
}

const takesResults: ReadonlySet<string> = new Set(['working', 'paused', 'input-required'])

// A task waits while the task of its subagent, or of its turn in a group chat, waits and nothing else runs for it. Meanwhile only
// the deadline of that other task counts.
export const turnWaits: Decide<'TurnWaits'> = (view, { effectId, taskId, items }, at) => {
  const call = openCalls(view).find(({ effect }) => effect.id === effectId)
  const isWaiting = view.status === 'input-required'
  if (call === undefined || isCanceling(view.state) || !(isWaiting || view.status === 'working')) return []
  if (openCalls(view).some(open => open.effect.child === undefined && !isAsking(open))) return []
  if (isPausing(view.state)) return [pausedFor('pause_requested', at)]
  const calls = items.map(({ call_id }) => call_id)
  if (canonical(calls) === canonical(view.pendingCalls.map(({ call_id }) => call_id))) return []
  const turn = { task_id: taskId, items }
  const required: TaskEvent = { type: 'InputRequired', data: { from: 'working', calls, turn } }
  return isWaiting ? [goesOn(at), required] : [required]
}

export const turnGoesOn: Decide<'TurnGoesOn'> = (view, { effectId }, at) => {
  const isOpen = openCalls(view).some(({ effect }) => effect.id === effectId)
  return isOpen && view.status === 'input-required' ? [goesOn(at)] : []
}

// While a task is being canceled, a result is stored but does not move the task.
export const completeEffect: Decide<'CompleteEffect'> = (
  view,
  { effectId, itemId, outcome, heard = '', events = [] },
  at,
) => {
  const call = openCalls(view).find(({ effect }) => effect.id === effectId)
  if (call === undefined || !takesResults.has(view.status)) return []
  const ended = turnEnded(view, call.callId, outcome)
  const isTurn = ended.length > 0
  const { status, blocks, child, usage, ends, step, error, model } = outcome
  // The streamed output of a call begins its result, even if the call ended before this output could be stored.
  const whole = isTurn ? (outcome.failed ?? '') : outcome.content
  const content = heard === '' ? whole : withRest(heard, restOf(heard, whole))
  const completed: TaskEvent = {
    type: 'EffectCompleted',
    data: {
      agent_step: view.completedSteps,
      effect_id: effectId,
      ...(call.itemId === '' && !isTurn ? { bare: true } : { item_id: call.said?.itemId ?? itemId }),
      call_id: call.callId,
      status,
      ...(call.said === undefined ? { content } : { said: true, content: restOf(call.said.text, content) }),
      ...(blocks === undefined || blocks.length === 0 ? {} : { blocks }),
      ...(child === undefined ? {} : { child }),
      ...(usage === undefined ? {} : { usage }),
      ...(step === undefined ? {} : { env_step: step }),
      ...(ends === undefined ? {} : { ends }),
      ...(isTurn ? { turn: true } : {}),
      ...(error === undefined ? {} : { error }),
      ...(model === undefined ? {} : { model }),
    },
  }
  const stored = [
    ...(view.status === 'input-required' ? [goesOn(at)] : []),
    ...ended,
    ...(isCanceling(view.state) || view.status === 'paused' ? [] : events),
    completed,
  ]
  if (view.status === 'paused') return stored
  if (view.agentVersion !== undefined) return [...stored, ...pausesNow(view, call.callId, at)]
  return [...stored, ...onwards(standing(view, new Set([call.callId])), view, at)]
}

/** The pause of a task with code that was asked to pause, once nothing runs for it any more. */
const pausesNow = (view: DecidedTask, callId: string, at: At): TaskEvent[] =>
  isPausing(view.state) && !hasActive(view, new Set([callId])) ? [pausedFor('pause_requested', at)] : []

export const answerCalls: Decide<'AnswerCalls'> = (
  view,
  { answers, whole, message, keys, principal },
  at,
) => {
  const status = statusOf(view)
  // A client answers its own calls. It cannot approve the others.
  const ofClient = view.pendingCalls.filter(({ metadata }) => metadata?.approval !== true)
  const fresh = answersFor(answers, view, whole ? ofClient : [])
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
  const results = fresh.filter(({ callId }) => !view.questions.has(callId))
  const inputs = accept(results, message, view, principal, keys)
  const heard = acceptAnswers(fresh, view, principal, inputs.length === 0 ? keys : {})
  const accepted = [...cut(view, answered), ...inputs, ...heard]
  const seen = heard.reduce(afterAsks, view)
  const after = standing(seen, new Set(results.map(({ callId }) => callId)))
  /** Whether a call runs on with the answers to all that it has asked. */
  const goes = openCalls(view).some(call => isAsking(call) && !isAsking(callOf(seen, call.callId)))
  if (status === 'paused') {
    const open = openCalls(seen).filter(({ callId }) => !results.some(given => given.callId === callId))
    if (view.reason !== outcomeUnknown || open.some(isUnknown)) return accepted
    const resumed: TaskEvent = {
      type: 'TaskResumed',
      data: { from: 'paused', ...ttlSeconds(at.ttls.working) },
    }
    return [...accepted, resumed, ...(view.agentVersion === undefined ? onwards(after, view, at) : [])]
  }
  // An agent's code goes on at the first answer that it, or a call of its, can go on with. It may wait for the others again.
  if (status === 'input-required' && view.agentVersion !== undefined) {
    return results.length === 0 && !goes ? accepted : [...accepted, goesOn(at)]
  }
  if (status !== 'input-required' || (after.waiting.length > 0 && !goes)) return accepted
  const final = after.final && message === undefined
  return [...accepted, goesOn(at), ...onwards({ ...after, final }, view, at)]
}

// The task takes the answers and completes at once, without another step. Its stream keeps the answers; the
// conversation continues in another task.
export const continueElsewhere: Decide<'ContinueElsewhere'> = (
  view,
  { answers, created, start, seen, principal },
  at,
) => {
  const mayEnd = statusOf(view) === 'input-required' && !openCalls(view).some(isAsking)
  if (!mayEnd) throw wrongState(view, 'answer', ['input-required'])
  const fresh = answersFor(answers, view, view.pendingCalls)
  if (fresh.length === 0) throw wrongState(view, 'answer', ['input-required'])
  const own = contributed(view).concat(fresh.map(({ itemId }) => itemId))
  const { task_id } = created
  const said = { stream: taskStream(view.created?.task_id ?? ''), items: own }
  const context = [...seen.context.slice(0, -1), said, ...seen.context.slice(-1)]
  return {
    events: [
      ...accept(fresh, undefined, view, principal, {}),
      goesOn(at),
      // Timers of an agent's code end with the task.
      ...openCalls(view).flatMap(call => (isPassive(call) ? stopped(view, call, 'dropped', undefined) : [])),
      agentDone(view),
      { type: 'TaskCompleted', data: { from: 'working', continued_by: task_id } },
    ],
    made: [{ created, events: firstEvents(created, start, { ...seen, context }, at) }],
  }
}

/** Whether the agent of a task is code of a user. A task that has not begun has no version of it yet. */
const isCode = ({ agentVersion, created }: DecidedTask, { codeOf }: At): boolean =>
  agentVersion !== undefined ||
  (created !== undefined && codeOf?.(created.agent, created.user_id) !== undefined)

export const postMessage: Decide<'PostMessage'> = (
  view,
  { itemId, content, event, isRetry, once, keys, principal },
  at,
) => {
  const status = statusOf(view)
  if (once && keys.digest !== undefined && view.inputDigests.has(keys.digest)) return []
  if (isTerminal(status) || isCanceling(view.state)) throw wrongState(view, 'message', unfinished)
  if (event !== undefined && !isCode(view, at)) {
    const msg =
      'Value error, the agent of this task is no code of a user, so it takes no events: send content'
    throw new Invalid([{ loc: ['body', 'event'], msg, type: 'value_error' }])
  }
  const last = view.messages.findLast(({ by }) => by === principal)
  // If the last message had an idempotency key, its retry would have that key, so this request is no retry of it.
  const same =
    last !== undefined &&
    !last.hasKey &&
    canonical([last.content, last.event]) === canonical([content, event])
  if (isRetry && same) return []
  const accepted = accept(
    [],
    { itemId, content, ...(event === undefined ? {} : { event }) },
    view,
    principal,
    keys,
  )
  return [...accepted, ...userSays(view, itemId, content), ...messageCame(view, itemId, at)]
}

const unread = ({ messages }: DecidedTask): string[] =>
  messages.flatMap(({ id, at }) => (at === undefined ? [id] : []))
const results = (view: DecidedTask): string[] => {
  const written = new Set(unread(view))
  return view.inbox.filter(id => !written.has(id))
}

/** Results belong to their calls, so the agent sees them before messages that came meanwhile. */
export const consumeInputs: Decide<'ConsumeInputs'> = (view, { revision }) =>
  view.revision !== revision ||
  view.status !== 'working' ||
  view.agentVersion !== undefined ||
  isCanceling(view.state) ||
  view.inbox.length === 0
    ? []
    : [
        {
          type: 'InputConsumed',
          data: { agent_step: view.completedSteps + 1, items: [...results(view), ...unread(view)] },
        },
      ]
