// A group chat waits while the task of a turn waits for results of calls. Results that a client gives to the chat are
// passed on to the task of the turn.
import type { TaskCommand } from '../../contract/commands.ts'
import { groupAgent, isTerminal } from '../../contract/wire.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import { always, type CommandDeps } from './deps.ts'

type Answer = Extract<TaskCommand, { type: 'AnswerCalls' }>
type Runtime = Pick<CommandDeps['runtime'], 'ask' | 'until'>

/** The stream of the task that asked for these results, if the view is of a group chat that knows the calls. */
export const askerOf = (view: DecidedTask, callIds: string[]): string | undefined =>
  view.created?.agent === groupAgent ? callIds.flatMap(id => view.askedBy.get(id) ?? [])[0] : undefined

/** Makes a check of a view: whether the group chat has ended, or no longer waits for any of these calls. */
const hasHeard = (callIds: string[]) => (view: DecidedTask) =>
  isTerminal(view.status) || !view.pendingCalls.some(({ call_id }) => callIds.includes(call_id))

/** Stores the results in the stream that waits for them. Returns the view of the task that the client named. */
export const answerWherever = async (
  runtime: Runtime,
  stream: string,
  { message, ...answer }: Answer,
): Promise<DecidedTask> => {
  const view = await runtime.until(stream, always)
  const callIds = answer.answers.map(({ callId }) => callId)
  const asker = askerOf(view, callIds)
  const withMessage = message === undefined ? answer : { ...answer, message }
  if (asker === undefined || asker === stream) return runtime.ask(stream, withMessage)
  await runtime.ask(asker, answer)
  if (message !== undefined) {
    const { principal, causation, keys } = answer
    const post = { type: 'PostMessage', ...message, isRetry: true, keys, principal, causation } as const
    await runtime.ask(stream, post)
  }
  return runtime.until(stream, hasHeard(callIds))
}
