// When a create names a task and has results of calls of that task, no task is created: that task continues with the
// results.
import type { CallAnswer } from '../../contract/commands/commands.ts'
import { Invalid, Refusal } from '../../contract/refusals.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { CreateTaskBody } from '../../contract/wire.ts'
import { answersIn, isEmpty } from '../call-answers.ts'
import type { TaskRow } from '../queries.ts'
import { type Answer as AnswerCommand, answerWherever, askerOf } from './answer-turn.ts'
import { answersKnown, isPendingCall } from './answered-calls.ts'
import type { Created, CreateRequest } from './create-request.ts'
import { always, by, type CommandDeps } from './deps.ts'

/** A request with results must name the session of the task, or no session. */
const mustBeOfSession = ({ id, session_id: own }: TaskRow, given: string | null | undefined): void => {
  if (!given || given === own) return
  const why = `the task ${id} belongs to the session ${JSON.stringify(own)}, not to ${JSON.stringify(given)}`
  throw new Refusal('Conflict', { task_id: id, session_id: own, given_session_id: given }, why)
}

/** The problems of answers, named by the places of the answers in the body. */
const inHistory = (
  { problems }: Invalid,
  { history_messages }: CreateTaskBody,
  answers: CallAnswer[],
): Invalid => {
  const placeOf = (index: number): number =>
    (history_messages ?? []).findLastIndex(
      item => item.type === 'tool_result' && item.call_id === answers[index]?.callId,
    )
  return new Invalid(
    problems.map(problem => {
      const [part, list, index, ...rest] = problem.loc
      return part === 'body' && list === 'tool_results' && typeof index === 'number'
        ? { ...problem, loc: [part, 'history_messages', placeOf(index), ...rest] }
        : problem
    }),
  )
}

/** Gives the results to the task that the request names. Returns undefined when the request is for a new task. */
export const createAnswerTask = ({
  runtime,
  queries,
  ids,
  questionProblems,
}: Pick<CommandDeps, 'runtime' | 'queries' | 'ids' | 'questionProblems'>) => {
  return async (wanted: CreateRequest): Promise<Created | undefined> => {
    const { principal, body, envelopeId, request, idempotencyKey } = wanted
    const answers = answersIn(body, ids)
    if (!body.task_id || answers.length === 0) return undefined
    const row = queries.rowById(body.task_id)
    if (row === undefined || !queries.isVisible(principal, row)) return undefined
    const stream = taskStream(row.id)
    const chat = await runtime.until(stream, always)
    const asker = await askerOf(
      runtime,
      chat,
      answers.map(({ callId }) => callId),
    )
    const before = asker === undefined ? chat : await runtime.until(asker, always)
    const known = answersKnown(before, answers)
    if (known.length === 0) return undefined
    mustBeOfSession(row, body.session_id)
    const again = !known.some(({ callId }) => isPendingCall(before, callId))
    const content = body.user_message_content
    const command: AnswerCommand = {
      type: 'AnswerCalls',
      answers: known,
      whole: true,
      ...(isEmpty(content) ? {} : { message: { itemId: ids.next('msg_'), content } }),
      keys: { digest: request.digest, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) },
      ...by(principal, envelopeId),
    }
    const view = await answerWherever(runtime, stream, command, questionProblems).catch(error => {
      throw error instanceof Invalid ? inHistory(error, body, known) : error
    })
    return { taskId: row.id, view, answered: { callIds: known.map(({ callId }) => callId), again } }
  }
}
