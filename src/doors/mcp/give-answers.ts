// Gives a task the answers of its client.
import { Refusal } from '../../contract/refusals.ts'
import type { PendingCallItem } from '../../contract/wire.ts'
import { createTaskCalls } from '../../http/routes/task-calls.ts'
import type { Exchange } from './exchange.ts'
import { type CallResult, type Questions, resultFor } from './questions.ts'

/** Whether an answer has come too late: the task goes on without it, or has ended. */
const isLate = (error: unknown): boolean =>
  error instanceof Refusal && ['AlreadyAnswered', 'WrongState'].includes(error.reason)

export const giveResults = async (
  { deps: { tasks }, request: { principal, envelopeId: requestId } }: Pick<Exchange, 'deps' | 'request'>,
  taskId: string,
  results: CallResult[],
): Promise<void> => {
  if (results.length === 0) return
  await createTaskCalls(tasks)
    .answer({ principal, requestId }, taskId, { tool_results: results })
    .catch(error => {
      if (!isLate(error)) throw error
    })
}

/** Gives the answers that there are, and takes them out of `answers`. Returns the questions that have none. */
export const giveAnswers = async (
  exchange: Exchange,
  taskId: string,
  questions: Questions,
  answers: Map<string, unknown>,
): Promise<Map<string, PendingCallItem>> => {
  const open = new Map(questions)
  const results: CallResult[] = []
  for (const [key, call] of questions) {
    const result = resultFor(call, answers.get(key))
    if (result === undefined) continue
    answers.delete(key)
    open.delete(key)
    results.push(result)
  }
  await giveResults(exchange, taskId, results)
  return open
}
