// Decides which input a task accepts from outside: answers to its calls, and messages. Pure.

import type { CallAnswer, RequestKeys } from '../../../src/contract/commands/commands.ts'
import type { TaskEvent, TaskEventData } from '../../../src/contract/events/task-events.ts'
import { canonical } from '../../../src/contract/json/canonical.ts'
import { Invalid, Refusal } from '../../../src/contract/refusals.ts'
import type { MessageContent, PendingCallItem, ToolResultItem } from '../../../src/contract/wire.ts'
import { resultItem } from '../../../src/history/items.ts'
import { openCalls, openQuestions } from '../../../src/history/task/calls.ts'
import { outcomeUnknown } from '../../../src/history/task-object.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'

/** Whether a call on the server waits for the answer to this question. */
const isOpenQuestion = (view: DecidedTask, id: string): boolean =>
  view.questions.has(id) &&
  openCalls(view).some(call => openQuestions(call).some(({ call_id }) => call_id === id))

/** Whether a call waits for an answer from outside: it is a call of a client tool, or its outcome is unknown. */
const isPending = (view: DecidedTask, callId: string): boolean => {
  if (isOpenQuestion(view, callId)) return true
  const call = view.calls.get(callId)
  if (call === undefined || call.ended !== false) return false
  return call.effect === undefined || (view.status === 'paused' && view.reason === outcomeUnknown)
}

/** The answer to a question of a call on the server. */
const givenAnswer = ({ questions }: DecidedTask, id: string): ToolResultItem | undefined => {
  const answer = questions.get(id)?.answer
  return answer && resultItem('', id, answer.status, answer.content, [])
}

/** The result of a call. Output of a call that still runs or was cut off is no result. */
const givenResult = (view: DecidedTask, callId: string): ToolResultItem | undefined =>
  givenAnswer(view, callId) ??
  view.output.find(
    (item): item is ToolResultItem =>
      item.type === 'tool_result' &&
      item.call_id === callId &&
      item.status !== 'in_progress' &&
      !view.cutItems.has(item.id ?? ''),
  )

const statusOf = (failed: true | undefined): 'incomplete' | 'completed' =>
  failed ? 'incomplete' : 'completed'

const isSame = (item: ToolResultItem, { failed, content, blocks }: CallAnswer): boolean =>
  canonical([item.status, item.message_content, item.block_list]) ===
  canonical([statusOf(failed), content, blocks])

/** Whether an answer may name this call: it is pending, or has been answered. */
export const knowsCall = (view: DecidedTask, callId: string): boolean =>
  isPending(view, callId) || givenResult(view, callId) !== undefined

/**
 * The answers that are new; a repeated answer is left out. Throws for a call that takes no answer, for a second,
 * different answer to a call and for new answers that leave one of the `needed` calls open.
 */
export const answersFor = (
  answers: CallAnswer[],
  view: DecidedTask,
  needed: readonly PendingCallItem[],
): CallAnswer[] => {
  const unknown = answers.flatMap(({ callId }, index) => (knowsCall(view, callId) ? [] : [index]))
  if (unknown.length > 0) {
    const msg = 'This call does not wait for an answer'
    throw new Invalid(
      unknown.map(index => ({ loc: ['body', 'tool_results', index, 'call_id'], msg, type: 'value_error' })),
    )
  }
  const fresh = new Map<string, CallAnswer>()
  for (const answer of answers) {
    const given = givenResult(view, answer.callId)
    const first = fresh.get(answer.callId)
    const stored = given ?? (first === undefined ? undefined : itemOf(first))
    if (stored === undefined) fresh.set(answer.callId, answer)
    else if (!isSame(stored, answer)) throw new Refusal('AlreadyAnswered', { call_id: answer.callId })
  }
  const missing = needed.map(call => call.call_id).filter(id => !fresh.has(id))
  if (fresh.size > 0 && missing.length > 0) {
    throw new Refusal('InputMissing', { missing_call_ids: missing })
  }
  return [...fresh.values()]
}

const itemOf = ({ itemId, callId, failed, content, blocks }: CallAnswer): ToolResultItem =>
  resultItem(itemId, callId, statusOf(failed), content, blocks)

/** The events that accept answers to questions of calls on the server. They are no results of calls of the agent, so they make no items. */
export const acceptAnswers = (
  answers: CallAnswer[],
  view: DecidedTask,
  by: string,
  { digest }: RequestKeys,
): TaskEvent[] =>
  openCalls(view).flatMap((call): TaskEvent[] => {
    const asked = new Set(openQuestions(call).map(({ call_id }) => call_id))
    const given = answers
      .filter(({ callId }) => asked.has(callId))
      .map(({ callId, failed, content }) => ({ call_id: callId, by, status: statusOf(failed), content }))
    if (given.length === 0) return []
    const { effect, callId: call_id } = call
    const key = digest === undefined ? {} : { digest }
    const promise = effect.promise === undefined ? {} : { promise: effect.promise }
    return [
      {
        type: 'EffectPromised',
        data: { effect_id: effect.id, call_id, ...promise, asks: { answers: given, ...key } },
      },
    ]
  })

/** The events that accept input. The first one holds the keys of the request. */
export const accept = (
  answers: CallAnswer[],
  message: { itemId: string; content: MessageContent; event?: { type: string } } | undefined,
  view: DecidedTask,
  by: string,
  { digest, idempotencyKey }: RequestKeys,
): TaskEvent[] => {
  const items: TaskEventData<'InputAccepted'>['item'][] = answers.map(itemOf)
  if (message !== undefined) {
    const { itemId, content } = message
    items.push({ type: 'message', id: itemId, role: 'user', message_content: content })
  }
  return items.map((item, index): TaskEvent => {
    const step = item.type === 'tool_result' ? { agent_step: view.completedSteps } : {}
    const key = idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }
    const keys = index > 0 ? {} : { ...(digest === undefined ? {} : { digest }), ...key }
    const event = item.type === 'message' && message?.event !== undefined ? { event: message.event } : {}
    return { type: 'InputAccepted', data: { by, ...step, item, ...event, ...keys } }
  })
}
