// Gives a task the answers of its client.
import { Refusal } from '../../contract/refusals.ts'
import type { PendingCallItem } from '../../contract/wire.ts'
import { createTaskCalls } from '../../http/routes/task-calls.ts'
import type { Exchange } from './exchange.ts'
import { type CallResult, type Questions, resultFor } from './questions.ts'
import { taskNow } from './task-now.ts'

/**
 * Gives a task results. A task that has ended, or is being canceled, needs none. Returns the refusal if one of the calls has
 * another answer already: then the task has taken none of these.
 */
export const giveResults = async (
  { deps: { tasks }, request: { principal, envelopeId: requestId } }: Pick<Exchange, 'deps' | 'request'>,
  taskId: string,
  results: CallResult[],
): Promise<Refusal | undefined> => {
  if (results.length === 0) return undefined
  try {
    await createTaskCalls(tasks).answer({ principal, requestId }, taskId, { tool_results: results })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.reason === 'AlreadyAnswered') return error
    if (error.reason !== 'WrongState') throw error
  }
  return undefined
}

/**
 * Gives the answers that there are, and takes them out of `answers`. Returns the questions that have none. If somebody else
 * has answered one of them meanwhile, the others are given again without it.
 */
export const giveAnswers = async (
  exchange: Exchange,
  taskId: string,
  questions: Questions,
  answers: Map<string, unknown>,
): Promise<Map<string, PendingCallItem>> => {
  const open = new Map(questions)
  const results = new Map<string, CallResult>()
  for (const [key, call] of questions) {
    const result = resultFor(call, answers.get(key))
    if (result === undefined) continue
    open.delete(key)
    results.set(key, result)
  }
  const refusal = await giveResults(exchange, taskId, [...results.values()])
  if (refusal !== undefined) {
    const { questions: openNow } = await taskNow(exchange, taskId)
    if ([...results.keys()].every(key => openNow.has(key))) throw refusal
    return giveAnswers(exchange, taskId, openNow, answers)
  }
  for (const key of results.keys()) answers.delete(key)
  return open
}
