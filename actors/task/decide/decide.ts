// Decides each command of a task: its events, or a refusal. Pure: a decision sees the task as stored and starts
// nothing. The chart allows or forbids every move (`canFollow`); a decision only names its events and its reasons to
// refuse.

import { canFollow, isCanceling, isPausing } from '../../../src/contract/charts/task-state.ts'
import type { TaskCommand } from '../../../src/contract/commands/commands.ts'
import type { TaskEvent } from '../../../src/contract/events/task-events.ts'
import { Refusal } from '../../../src/contract/refusals.ts'
import { isTerminal, type TaskStatus, terminalStatuses } from '../../../src/contract/wire.ts'
import { canGoOn, isAsking, type OpenCall, openCalls } from '../../../src/history/task/calls.ts'
import { outcomeUnknown } from '../../../src/history/task-object.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'
import { standing } from './calls.ts'
import { decideApproval } from './decide-approval.ts'
import {
  answerCalls,
  askClient,
  completeEffect,
  consumeInputs,
  continueElsewhere,
  postMessage,
  promiseEffect,
  sayEffect,
  turnGoesOn,
  turnWaits,
} from './decide-inputs.ts'
import { recordStep } from './decide-step.ts'
import { endWait, recordTurn, sayModel } from './decide-turn.ts'
import {
  type At,
  abandoned,
  agentStopped,
  cut,
  type Decide,
  type Decision,
  firstEvents,
  notCancelable,
  onwards,
  pausedFor,
  started,
  statusOf,
  ttlSeconds,
  wrongState,
} from './events.ts'

const expired = (view: DecidedTask): TaskEvent[] => [
  ...abandoned(view),
  ...cut(view),
  ...agentStopped(view),
  { type: 'TaskExpired', data: { from: view.status as TaskStatus } },
]

/** Whether the task of a subagent or of a turn has not ended. */
const hasChild = (view: DecidedTask): boolean =>
  openCalls(view).some(({ effect }) => effect.child !== undefined)

/**
 * The time at which a task expires, in Unix milliseconds; undefined: never. The deadline of a working task counts from
 * its last event or from the server's start, whichever is later; the deadline of any other task is stored. A working
 * task does not expire while it waits for a subagent's task, or while its code sleeps or waits for a message.
 */
export const deadlineOf = (view: DecidedTask, startedAt: number): number | undefined => {
  if (view.status !== 'working') return view.expiresAt
  if (view.wakesAt !== undefined) return undefined
  if (hasChild(view)) return undefined
  return view.ttlSeconds === undefined
    ? undefined
    : Math.max(view.changedAt, startedAt) + view.ttlSeconds * 1000
}

const decisions: { [T in TaskCommand['type']]: Decide<T> } = {
  CreateTask: (view, { created, start, seen }, at) => {
    if (view.status !== 'absent') throw new Refusal('Conflict', { task_id: created.task_id })
    return firstEvents(created, start, seen, at)
  },

  ForkTask: (view, { created, events, made }) => {
    if (view.status !== 'absent') throw new Refusal('Conflict', { task_id: created.task_id })
    return { events: events.map(({ event }) => event), made }
  },

  // A queued task never starts if it was canceled, expired or deleted before the scheduler chose it.
  StartTask: (view, { seen }, at) => {
    if (view.created === undefined || !canFollow(view.state, 'TaskStarted')) return []
    if (view.expiresAt !== undefined && view.expiresAt <= at.now) return expired(view)
    return started(view.status as TaskStatus, view.created, seen, at)
  },

  GiveReward: (view, { reward, principal }) => {
    statusOf(view)
    return [{ type: 'RewardGiven', data: { by: principal, ...reward } }]
  },

  RecordStep: recordStep,
  RecordTurn: recordTurn,
  EndWait: endWait,
  SayModel: sayModel,
  AwaitWorker: (view, { over }) =>
    (view.status !== 'working' && view.status !== 'queued') || view.awaitsWorker === (over !== true)
      ? []
      : [{ type: 'WorkerAwaited', data: over === true ? { over } : {} }],
  PromiseEffect: promiseEffect,
  AskClient: askClient,
  SayEffect: sayEffect,
  CompleteEffect: completeEffect,
  TurnWaits: turnWaits,
  TurnGoesOn: turnGoesOn,
  AnswerCalls: answerCalls,
  DecideApproval: decideApproval,
  ContinueElsewhere: continueElsewhere,
  PostMessage: postMessage,
  ConsumeInputs: consumeInputs,

  AbandonStep: (view, { revision }) =>
    view.status === 'working' && view.revision === revision ? abandoned(view) : [],

  PauseTask: view => {
    statusOf(view)
    if (isPausing(view.state)) return []
    if (!canFollow(view.state, 'PauseRequested')) throw wrongState(view, 'pause', ['working'])
    return [{ type: 'PauseRequested', data: {} }]
  },

  PauseNow: (view, { reason, revision }, at) =>
    view.revision !== revision || !canFollow(view.state, 'TaskPaused')
      ? []
      : [...abandoned(view), pausedFor(reason, at)],

  ResumeTask: (view, { only }, at) => {
    const { ttls } = at
    const status = statusOf(view)
    if (only !== undefined && (status !== 'paused' || view.reason !== only)) return []
    if (status === 'working' || status === 'queued') return []
    if (status === 'input-required') {
      throw new Refusal('InputMissing', { missing_call_ids: view.pendingCalls.map(call => call.call_id) })
    }
    if (!canFollow(view.state, 'TaskResumed')) throw wrongState(view, 'resume', ['paused'])
    const resumed: TaskEvent = { type: 'TaskResumed', data: { from: 'paused', ...ttlSeconds(ttls.working) } }
    // A call that has asked its client goes on with the answers, unless it ended with its process.
    const goesOn = (call: OpenCall): boolean =>
      call.effect.asks !== undefined &&
      (isAsking(call) || call.effect.asks.state !== undefined || view.reason !== outcomeUnknown)
    const again = openCalls(view).filter(call => !canGoOn(call) && !goesOn(call))
    // An agent's code first gets the results that came during the pause.
    if (again.length === 0 && view.agentVersion !== undefined) return [resumed]
    if (again.length === 0) return [resumed, ...onwards(standing(view), view, at)]
    // The outcome of these calls is unknown; resuming the task repeats them.
    return [
      resumed,
      ...again.map(({ callId, name, effect }): TaskEvent => {
        const again = { effect_id: effect.id, call_id: callId, name, attempt: effect.attempt + 1 }
        const data = effect.inSession ? { ...again, in_session: true as const } : again
        return { type: 'EffectIntended', data }
      }),
    ]
  },

  // A working task has something to stop first. Any other task is canceled in this turn, with the two exceptions below.
  CancelTask: (view, { reason }) => {
    const status = statusOf(view)
    if (status === 'canceled' || isCanceling(view.state)) return []
    if (isTerminal(status)) throw notCancelable(view)
    const why = reason === undefined ? {} : { reason }
    const requested: TaskEvent = { type: 'CancelRequested', data: why }
    if (status === 'working') return [requested]
    // The task waits here together with the task of its subagent or turn. That task must be stopped first.
    if (status === 'input-required' && openCalls(view).length > 0) {
      return [{ type: 'InputAnswered', data: { from: status } }, requested]
    }
    if (status === 'paused' && hasChild(view)) {
      return [{ type: 'TaskResumed', data: { from: status } }, requested]
    }
    return [
      requested,
      ...cut(view),
      ...agentStopped(view),
      { type: 'TaskCanceled', data: { from: status, ...why } },
    ]
  },

  FinishCancel: (view, { receipts }) => {
    if (!isCanceling(view.state)) return []
    const why = view.cancelReason === undefined ? {} : { reason: view.cancelReason }
    return [
      ...receipts.map((data): TaskEvent => ({ type: 'EffectStopped', data })),
      ...abandoned(view),
      ...cut(view),
      ...agentStopped(view),
      { type: 'TaskCanceled', data: { from: view.status as TaskStatus, ...why } },
    ]
  },

  // A task that is being canceled does not expire. The deadline is computed again, because the task may have changed
  // after it was found overdue.
  ExpireTask: (view, { startedAt }, { now }) => {
    if (!canFollow(view.state, 'TaskExpired')) return []
    return (deadlineOf(view, startedAt) ?? Number.POSITIVE_INFINITY) <= now ? expired(view) : []
  },

  DeleteTask: (view, { principal }) => {
    if (!isTerminal(statusOf(view))) throw wrongState(view, 'delete', [...terminalStatuses])
    return [{ type: 'TaskDeleted', data: { by: principal } }]
  },
}

export const decide = (view: DecidedTask, command: TaskCommand, at: At): Decision => {
  const decided = (decisions[command.type] as Decide<TaskCommand['type']>)(view, command, at)
  return Array.isArray(decided) ? { events: decided, made: [] } : decided
}
