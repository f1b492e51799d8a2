// Follows a task for an editor, until it has ended or the next prompt must go on with it.
import { RequestError, type StopReason } from '@agentclientprotocol/sdk'
import type { MessageContent, Task, TaskFrame } from '../../../library/client/index.ts'
import { withTask } from '../ids.ts'
import { answersOf, questionIn } from './answers.ts'
import { inTime, type Pending, pendingIn, unknownCallIn } from './server.ts'
import { type Editor, type Session, tell } from './session.ts'
import { failureOf, frameTold } from './updates.ts'

/** Why a turn is over. Throws when the task has failed. */
const stopReasonOf = (task: Task): StopReason => {
  const { id, status, error, metadata } = task
  if (status === 'canceled') return 'cancelled'
  if (status === 'completed') {
    const { reason } = (metadata?.incomplete_details ?? {}) as { reason?: string }
    if (reason === 'length') return 'max_tokens'
    return reason === 'content_filter' ? 'refusal' : 'end_turn'
  }
  throw RequestError.internalError({ task_id: id, ...(error ? { code: error.code } : {}) }, failureOf(task))
}

/** Asks a question as a message of the agent: the next prompt answers it. */
export const askInWords = (
  editor: Editor,
  session: Session,
  taskId: string,
  question: Pending,
): Promise<void> =>
  tell(editor, session, [
    {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: questionIn(question) },
      messageId: withTask(question.call_id, taskId),
    },
  ])

/** Whether no frame follows this one, so that the task still waits as the frame says. */
const isLast = async (
  { server }: Editor,
  { task_id, sequence_number: after }: TaskFrame,
): Promise<boolean> => {
  const path = `/v1/tasks/${encodeURIComponent(task_id)}/events`
  const request = { method: 'GET', path, query: { after, limit: 1 } } as const
  const { result } = await server.ask(client => client.request<{ result: TaskFrame[] }>(request))
  return result.length === 0
}

const isWait = (frame: TaskFrame) => frame.type === 'task.input_required' || frame.type === 'task.paused'

/**
 * `after`: the number of the last frame that the editor knows; absent: it knows none. `latest`: this frame, if the task may wait
 * since then.
 */
export const followTurn = async (
  editor: Editor,
  session: Session,
  taskId: string,
  { after, latest }: { after?: number; latest?: TaskFrame | undefined } = {},
): Promise<StopReason> => {
  const over = new AbortController()
  const answers = answersOf(editor, session, taskId, error => over.abort(error))
  const untilPrompt = Symbol('the next prompt goes on')
  let last = after ?? -1

  const wait = async (frame: TaskFrame & { task: Task }): Promise<void> => {
    const call = unknownCallIn(frame.task)
    if (call !== undefined) answers.judge(call, frame.sequence_number)
    if (frame.type !== 'task.input_required') return
    const questions = await answers.answer(pendingIn(frame.task))
    const [question] = questions
    if (question === undefined || last !== frame.sequence_number) return
    session.asked = { taskId, last, questions }
    await askInWords(editor, session, taskId, question)
    over.abort(untilPrompt)
  }
  const look = async (frame: TaskFrame): Promise<void> => {
    if (frame.type === 'task.working') answers.goesOn()
    if (frame.type === 'task.output_item.done' && frame.item.type === 'tool_result')
      answers.hasResult(frame.item.call_id)
    if (isWait(frame) && (await isLast(editor, frame)))
      void wait(frame as TaskFrame & { task: Task }).catch(error => over.abort(error))
  }

  session.running.add(taskId)
  const gone = () => over.abort(editor.gone.reason)
  editor.gone.addEventListener('abort', gone)
  try {
    if (latest !== undefined) await look(latest)
    const task = await editor.server.follow(taskId, { after, signal: over.signal }, async run => {
      for await (const frame of run) {
        last = frame.sequence_number
        await tell(editor, session, frameTold(frame))
        await look(frame)
      }
      return run.result()
    })
    return stopReasonOf(task)
  } catch (error) {
    if (over.signal.reason === untilPrompt) return 'end_turn'
    throw over.signal.aborted ? over.signal.reason : error
  } finally {
    editor.gone.removeEventListener('abort', gone)
    session.running.delete(taskId)
    answers.close()
  }
}

/** Answers the question for which the last turn has stopped. Undefined: there is none, or somebody else has answered it. */
export const answerInWords = async (
  editor: Editor,
  session: Session,
  message_content: MessageContent,
): Promise<StopReason | undefined> => {
  const { asked } = session
  const [question, ...questions] = asked?.questions ?? []
  if (asked === undefined || question === undefined) return undefined
  session.asked = undefined
  const { taskId, last } = asked
  const { call_id } = question
  const given = await editor.server.ask(({ tasks }) =>
    inTime(tasks.input(taskId, [{ call_id, message_content }])),
  )
  const [next] = questions
  if (given && next !== undefined) {
    session.asked = { ...asked, questions }
    await askInWords(editor, session, taskId, next)
    return 'end_turn'
  }
  const stopReason = await followTurn(editor, session, taskId, { after: last })
  return given ? stopReason : undefined
}
