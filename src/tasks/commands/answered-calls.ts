// Finds the calls that the results in a request answer.
import { knowsCall } from '../../../actors/task/decide/accept.ts'
import type { CallAnswer } from '../../contract/commands/commands.ts'
import { canonical } from '../../contract/json/canonical.ts'
import { Refusal } from '../../contract/refusals.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import type { Queries } from '../queries.ts'

/** Refuses a request that has two different results for one call. */
const mustAgree = (answers: CallAnswer[]): void => {
  for (const { callId, failed, content, blocks } of answers) {
    const first = answers.find(other => other.callId === callId)
    const same =
      canonical([first?.failed, first?.content, first?.blocks]) === canonical([failed, content, blocks])
    if (!same) throw new Refusal('AlreadyAnswered', { call_id: callId })
  }
}

/** A task that waits with the task of its turn or subagent cannot end at an answer: that task goes on with it. */
const needsTaskId = (task_id: string): Refusal =>
  new Refusal(
    'WrongState',
    { task_id, status: 'input-required', operation: 'continue' },
    `a new task cannot continue the task ${task_id}: a turn, a subagent or a call of that task goes on with the results`,
    {
      hint: `Send the results with \`task_id\` ${JSON.stringify(task_id)}, or to \`POST /v1/tasks/${task_id}/input\`.`,
    },
  )

/**
 * The newest task of this session that waits for one of these results, if any, and the results that it waits for. Throws
 * WrongState if that task passes the results on to another one.
 */
export const waitingFor = (queries: Queries, userId: string, sessionId: string, answers: CallAnswer[]) => {
  for (const { id, pending, passes } of queries.waitingInSession(userId, sessionId)) {
    const given = answers.filter(({ callId }) => pending.includes(callId))
    mustAgree(given)
    if (given.length > 0 && passes) throw needsTaskId(id)
    if (given.length > 0) return { id, answers: given }
  }
  return undefined
}

export const isPendingCall = (view: DecidedTask, callId: string): boolean =>
  view.pendingCalls.some(call => call.call_id === callId)

/** The results for pending calls of this task; if there are none, the results for calls that already have an answer. */
export const answersKnown = (view: DecidedTask, answers: CallAnswer[]): CallAnswer[] => {
  const known = answers.filter(({ callId }) => knowsCall(view, callId))
  const pending = known.filter(({ callId }) => isPendingCall(view, callId))
  return pending.length > 0 ? pending : known
}
