// Decides each command of a task: its events, or a refusal. Pure: a decision sees the task as stored and starts
// nothing. The chart allows or forbids every move (`canFollow`); a decision only names its events and its reasons to
// refuse.
import type { TaskCommand } from '../../src/contract/commands.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { TaskEvent } from '../../src/contract/task-events.ts'
import { canFollow, isCanceling, isPausing } from '../../src/contract/task-state.ts'
import { isTerminal, type TaskStatus, terminalStatuses } from '../../src/contract/wire.ts'
import { openCalls } from '../../src/history/task/calls.ts'
import type { DecidedTask } from '../../src/history/task-view.ts'
import { standing } from './calls.ts'
import {
  answerCalls,
  completeEffect,
  consumeInputs,
  continueElsewhere,
  postMessage,
  sayEffect,
  turnGoesOn,
  turnWaits,
} from './decide-inputs.ts'
import { recordStep } from './decide-step.ts'
import {
  abandoned,
  agentStopped,
  cut,
  type Decide,
  type Decision,
  firstEvents,
  type Judgement,
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

/**
 * The time at which a task expires, in Unix milliseconds; undefined: never. The deadline of a working task counts from
 * its last event or from the server's start, whichever is later; the deadline of any other task is stored. A working
 * task does not expire while it waits for a subagent's task.
 */
export const deadlineOf = (view: DecidedTask, startedAt: number): number | undefined => {
  if (view.status !== 'working') return view.expiresAt
  if (openCalls(view).some(({ effect }) => effect.child !== undefined)) return undefined
  return view.ttlSeconds === undefined
    ? undefined
    : Math.max(view.changedAt, startedAt) + view.ttlSeconds * 1000
}

const decisions: { [T in TaskCommand['type']]: Decide<T> } = {
  CreateTask: ({ created, start, seen }, view, judgement) => {
    if (view.status !== 'absent') throw new Refusal('Conflict', { task_id: created.task_id })
    return firstEvents(created, start, seen, judgement)
  },

  ForkTask: ({ created, events, made }, view) => {
    if (view.status !== 'absent') throw new Refusal('Conflict', { task_id: created.task_id })
    return { events: events.map(({ event }) => event), made }
  },

  // A queued task never starts if it was canceled, expired or deleted before the scheduler chose it.
  StartTask: ({ seen }, view, { now, ttls }) => {
    if (view.created === undefined || !canFollow(view.state, 'TaskStarted')) return []
    if (view.expiresAt !== undefined && view.expiresAt <= now) return expired(view)
    return started(view.status as TaskStatus, view.created, seen, ttls)
  },

  GiveReward: ({ reward, principal }, view) => {
    statusOf(view)
    return [{ type: 'RewardGiven', data: { by: principal, ...reward } }]
  },

  RecordStep: recordStep,
  SayEffect: sayEffect,
  CompleteEffect: completeEffect,
  TurnWaits: turnWaits,
  TurnGoesOn: turnGoesOn,
  AnswerCalls: answerCalls,
  ContinueElsewhere: continueElsewhere,
  PostMessage: postMessage,
  ConsumeInputs: consumeInputs,

  AbandonStep: ({ revision }, view) =>
    view.status === 'working' && view.revision === revision ? abandoned(view) : [],

  PauseTask: (_, view) => {
    statusOf(view)
    if (isPausing(view.state)) return []
    if (!canFollow(view.state, 'PauseRequested')) throw wrongState(view, 'pause', ['working'])
    return [{ type: 'PauseRequested', data: {} }]
  },

  PauseNow: ({ reason, revision }, view, judgement) =>
    view.revision !== revision || !canFollow(view.state, 'TaskPaused')
      ? []
      : [...abandoned(view), pausedFor(reason, judgement)],

  ResumeTask: ({ only }, view, judgement) => {
    const { ttls } = judgement
    const status = statusOf(view)
    if (only !== undefined && (status !== 'paused' || view.reason !== only)) return []
    if (status === 'working' || status === 'queued') return []
    if (status === 'input-required') {
      throw new Refusal('InputMissing', { missing_call_ids: view.pendingCalls.map(call => call.call_id) })
    }
    if (!canFollow(view.state, 'TaskResumed')) throw wrongState(view, 'resume', ['paused'])
    const resumed: TaskEvent = { type: 'TaskResumed', data: { from: 'paused', ...ttlSeconds(ttls.working) } }
    const again = openCalls(view).filter(({ effect }) => !effect.safe && effect.child === undefined)
    if (again.length === 0) return [resumed, ...onwards(standing(view), view, judgement)]
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

  // A working task has something to stop first. Any other task is canceled in this turn, with the one exception below.
  CancelTask: ({ reason }, view) => {
    const status = statusOf(view)
    if (status === 'canceled' || isCanceling(view.state)) return []
    if (isTerminal(status)) throw notCancelable(view)
    const why = reason === undefined ? {} : { reason }
    const requested: TaskEvent = { type: 'CancelRequested', data: why }
    if (status === 'working') return [requested]
    // A group chat waits here together with the task of its turn. That task must be stopped first.
    if (status === 'input-required' && openCalls(view).length > 0) {
      return [{ type: 'InputAnswered', data: { from: status } }, requested]
    }
    return [
      requested,
      ...cut(view),
      ...agentStopped(view),
      { type: 'TaskCanceled', data: { from: status, ...why } },
    ]
  },

  FinishCancel: ({ receipts }, view) => {
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
  ExpireTask: ({ startedAt }, view, { now }) => {
    if (!canFollow(view.state, 'TaskExpired')) return []
    return (deadlineOf(view, startedAt) ?? Number.POSITIVE_INFINITY) <= now ? expired(view) : []
  },

  DeleteTask: ({ principal }, view) => {
    if (!isTerminal(statusOf(view))) throw wrongState(view, 'delete', [...terminalStatuses])
    return [{ type: 'TaskDeleted', data: { by: principal } }]
  },
}

export const decide = (command: TaskCommand, view: DecidedTask, judgement: Judgement): Decision => {
  const decided = (decisions[command.type] as Decide<TaskCommand['type']>)(command, view, judgement)
  return Array.isArray(decided) ? { events: decided, made: [] } : decided
}
