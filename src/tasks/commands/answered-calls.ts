// Which calls of which tasks the results in a request answer.
import { knowsCall } from '../../../actors/task/inbox.ts'
import { canonical } from '../../contract/canonical.ts'
import type { CallAnswer } from '../../contract/commands.ts'
import { Refusal } from '../../contract/refusals.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import type { Queries } from '../queries.ts'

/** A request that says two things of one call says nothing. */
const mustAgree = (answers: CallAnswer[]): void => {
  for (const { callId, failed, content, blocks } of answers) {
    const first = answers.find(other => other.callId === callId)
    const same =
      canonical([first?.failed, first?.content, first?.blocks]) === canonical([failed, content, blocks])
    if (!same) throw new Refusal('AlreadyAnswered', { call_id: callId })
  }
}

/** The newest task of this session that waits for one of these results, and those that it waits for. */
export const waitingFor = (queries: Queries, userId: string, sessionId: string, answers: CallAnswer[]) => {
  for (const { id, pending } of queries.waitingInSession(userId, sessionId)) {
    const given = answers.filter(({ callId }) => pending.includes(callId))
    mustAgree(given)
    if (given.length > 0) return { id, answers: given }
  }
  return undefined
}

export const isPendingCall = (view: DecidedTask, callId: string): boolean =>
  view.pendingCalls.some(call => call.call_id === callId)

/** Of results that name calls of a task: those for pending ones, or, if none is, those given before. */
export const answersKnown = (view: DecidedTask, answers: CallAnswer[]): CallAnswer[] => {
  const known = answers.filter(({ callId }) => knowsCall(view, callId))
  const pending = known.filter(({ callId }) => isPendingCall(view, callId))
  return pending.length > 0 ? pending : known
}
