// A task waits while the task of its subagent, or of its turn in a group chat, waits for results or approvals of calls. What a
// client gives to the caller is passed on to the task that asked.
import type { TaskCommand } from '../../contract/commands/commands.ts'
import { canonical } from '../../contract/json/canonical.ts'
import { plainText } from '../../contract/plain-text.ts'
import { Invalid, type Problem, Refusal } from '../../contract/refusals.ts'
import { isTerminal } from '../../contract/wire.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import type { AnswerProblems } from '../question-problems.ts'
import { always, type CommandDeps } from './deps.ts'

/**
 * Refuses answers that do not fit what is asked: a tool server would refuse them, the code of an agent could not use them, and
 * the first answer counts for good.
 */
const mustFit = async (
  { created, questions, calls }: DecidedTask,
  answers: Answer['answers'],
  problemsOf: AnswerProblems,
): Promise<void> => {
  const user = created?.user_id ?? ''
  const found: Problem[] = []
  const refuse = (index: number, field: string, msg: string): void => {
    found.push({ loc: ['body', 'tool_results', index, field], msg, type: 'value_error' })
  }
  for (const [index, { callId, failed, content, blocks }] of answers.entries()) {
    const question = questions.get(callId)
    const call = calls.get(callId)
    const isForm = question !== undefined
    if (isForm && (blocks ?? []).length > 0)
      refuse(index, 'block_list', 'An answer to a question of a tool has no blocks')
    const isOpen = isForm ? question.answer === undefined : call?.ended === false
    const schema = isForm ? question.metadata?.schema : call?.schema
    if (failed || !isOpen || schema === undefined) continue
    for (const problem of await problemsOf({ schema, isForm, answer: plainText(content), user }))
      refuse(index, 'message_content', `The answer does not fit the schema: ${problem}`)
  }
  if (found.length > 0) throw new Invalid(found)
}

export type Answer = Extract<TaskCommand, { type: 'AnswerCalls' }>
type Runtime = Pick<CommandDeps['runtime'], 'ask' | 'until'>

/**
 * The stream of the task that asked for these results, if it is another one than that of the view. A subagent may have
 * passed on the question of its own subagent.
 */
export const askerOf = async (
  { until }: Pick<Runtime, 'until'>,
  view: DecidedTask,
  callIds: string[],
): Promise<string | undefined> => {
  const asker = callIds.flatMap(id => view.askedBy.get(id) ?? [])[0]
  if (asker === undefined) return undefined
  return (await askerOf({ until }, await until(asker, always), callIds)) ?? asker
}

/** Makes a check of a view: whether the task has ended, or no longer waits for any of these calls. */
export const hasHeard = (callIds: string[]) => (view: DecidedTask) =>
  isTerminal(view.status) || !view.pendingCalls.some(({ call_id }) => callIds.includes(call_id))

/**
 * Stores the message of a request whose results another task has taken. If this request brought the results, it says its
 * message once, also when it is repeated after a crash between the two. If others brought them, a message that is not known
 * is refused, as in `answerCalls`. `inputDigests`: of the requests that brought input to the task that asked.
 */
const sayBeside = async (
  { ask, until }: Runtime,
  stream: string,
  { message, answers, keys, principal, causation }: Answer & { message: NonNullable<Answer['message']> },
  inputDigests: ReadonlySet<string>,
): Promise<void> => {
  if (keys.digest !== undefined && inputDigests.has(keys.digest)) {
    const how = { isRetry: false, once: true } as const
    await ask(stream, { type: 'PostMessage', ...message, ...how, keys, principal, causation })
    return
  }
  const { messages } = await until(stream, always)
  const isKnown = messages.some(({ content }) => canonical(content) === canonical(message.content))
  if (!isKnown) throw new Refusal('AlreadyAnswered', { call_id: answers[0]?.callId })
}

/** Stores the results in the stream that waits for them. Returns the view of the task that the client named. */
export const answerWherever = async (
  runtime: Runtime,
  stream: string,
  { message, ...answer }: Answer,
  problemsOf: AnswerProblems,
): Promise<DecidedTask> => {
  const view = await runtime.until(stream, always)
  const callIds = answer.answers.map(({ callId }) => callId)
  const asker = await askerOf(runtime, view, callIds)
  const withMessage = message === undefined ? answer : { ...answer, message }
  await mustFit(asker === undefined ? view : await runtime.until(asker, always), answer.answers, problemsOf)
  if (asker === undefined || asker === stream) return runtime.ask(stream, withMessage)
  const { inputDigests } = await runtime.ask(asker, answer)
  if (message !== undefined) await sayBeside(runtime, stream, { ...answer, message }, inputDigests)
  return runtime.until(stream, hasHeard(callIds))
}
