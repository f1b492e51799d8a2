// Takes the answer of an older client to a question, which it sends as a message of its own.
import { Invalid } from '../../contract/refusals.ts'
import { rowOf } from '../answers.ts'
import { inTask } from '../ids.ts'
import { type Exchange, mustHave } from './exchange.ts'
import { giveResults } from './give-answers.ts'
import { resultFor } from './questions.ts'
import { taskNow } from './task-now.ts'

/** Takes the answer of a client. An answer to nothing is ignored. */
export const takeAnswer = async (
  exchange: Pick<Exchange, 'deps' | 'request' | 'reply'>,
  { id, result }: Record<string, unknown>,
): Promise<void> => {
  mustHave(exchange, 'write')
  const asked = typeof id === 'string' ? inTask(id) : undefined
  if (asked === undefined) return
  if (rowOf(exchange.deps.tasks, exchange.request.principal, asked.taskId) === undefined) return
  const { task, questions } = await taskNow(exchange, asked.taskId)
  const call = [...questions.values()].find(({ call_id }) => call_id === asked.id)
  if (call === undefined) return
  // An error, or what is no answer: the client cannot show the question, and nobody asks again.
  const given = resultFor(call, result) ?? resultFor(call, { action: 'cancel' })
  if (given === undefined) return
  await giveResults(exchange, task.id, [given]).catch(async error => {
    if (!(error instanceof Invalid)) throw error
    // Nobody asks an older client again, so the code hears why there is no answer.
    const message_content = error.problems.map(({ msg }) => msg).join('; ')
    await giveResults(exchange, task.id, [{ ...given, status: 'incomplete', message_content }])
  })
}
