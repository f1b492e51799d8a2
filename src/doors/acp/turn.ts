// Follows a task for an editor, until it has ended or the next prompt must go on with it.
import { RequestError, type StopReason } from '@agentclientprotocol/sdk'
import type { MessageContent, Task, TaskFrame } from '../../../library/client/index.ts'
import { withTask } from '../ids.ts'
import { answersOf, isInWords, questionIn } from './answers.ts'
import { inTime, type Pending, pendingIn, unknownCallIn } from './server.ts'
import { type Editor, type Session, tell, type Unended } from './session.ts'
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
 * Where a follower begins. `after`: the number of the last frame that the editor knows; absent: it knows none. `latest`: this frame, if
 * the task may wait since then.
 * `looked`: called when the next prompt finds the questions for which the task waits since then.
 */
type From = { after?: number | undefined; latest?: TaskFrame | undefined; looked?: () => void }

export const behind = ({ latest }: Unended): From => ({ after: latest?.sequence_number, latest })

/** The session is told again by a load, which also tells what the follower would have told. */
class Retold extends Error {
  readonly told: Promise<readonly Unended[]>
  constructor(told: Promise<readonly Unended[]>) {
    super('the session is loaded again')
    this.told = told
  }
}

type Following = {
  readonly editor: Editor
  readonly session: Session
  readonly taskId: string
  readonly answers: ReturnType<typeof answersOf>
  from: From
  over: AbortController
}

/** Follows the task until it ends or `over` aborts. */
const followOnce = async (following: Following): Promise<StopReason> => {
  const { editor, session, taskId, answers, over, from } = following
  const signal = AbortSignal.any([over.signal, editor.gone])
  const untilPrompt = Symbol('the next prompt goes on')

  const wait = async (frame: TaskFrame & { task: Task }): Promise<void> => {
    const { sequence_number: last } = frame
    const call = unknownCallIn(frame.task)
    if (call !== undefined) answers.judge(call, last)
    if (frame.type !== 'task.input_required') return
    const questions = await answers.answer(pendingIn(frame.task))
    const [question] = questions
    if (question === undefined || signal.aborted || following.from.after !== last) return
    session.asked = { taskId, last, questions }
    await askInWords(editor, session, taskId, question)
    over.abort(untilPrompt)
  }
  const look = async (frame: TaskFrame): Promise<void> => {
    if (frame.type === 'task.working') answers.goesOn()
    if (frame.type === 'task.output_item.done' && frame.item.type === 'tool_result')
      answers.hasResult(frame.item.call_id)
    if (!isWait(frame) || !(await isLast(editor, frame)) || signal.aborted) return
    const waiting = frame as TaskFrame & { task: Task }
    const asked = wait(waiting).catch(error => over.abort(error))
    if (isInWords(editor, pendingIn(waiting.task))) await asked // otherwise the user may take days
  }

  try {
    if (from.latest !== undefined) await look(from.latest)
    from.looked?.()
    const task = await editor.server.follow(taskId, { after: from.after, signal }, async run => {
      for await (const frame of run) {
        signal.throwIfAborted()
        following.from = { after: frame.sequence_number, latest: frame }
        await tell(editor, session, frameTold(frame))
        await look(frame)
      }
      return run.result()
    })
    return stopReasonOf(task)
  } catch (error) {
    if (signal.reason === untilPrompt) return 'end_turn'
    throw signal.aborted ? signal.reason : error
  }
}

/** Follows the task over loads of its session. */
const followOn = async (following: Following): Promise<StopReason> => {
  try {
    return await followOnce(following)
  } catch (error) {
    if (!(error instanceof Retold)) throw error
    const { editor, taskId } = following
    const unended = await error.told.catch(() => undefined) // the load itself says why it has failed
    const mine = unended?.find(each => each.taskId === taskId)
    if (mine !== undefined) following.from = behind(mine)
    else if (unended !== undefined)
      return stopReasonOf(await editor.server.ask(({ tasks }) => tasks.get(taskId)))
    return followOn(following)
  }
}

export const followTurn = async (
  editor: Editor,
  session: Session,
  taskId: string,
  from: From = {},
): Promise<StopReason> => {
  const answers = answersOf(editor, session, taskId, error => following.over.abort(error))
  const following: Following = { editor, session, taskId, answers, from, over: new AbortController() }
  session.running.set(taskId, told => {
    const { over } = following
    following.over = new AbortController() // so that the next load ends the next follower, even before it has begun
    over.abort(new Retold(told))
    answers.withdraw()
  })
  try {
    return await followOn(following)
  } finally {
    session.running.delete(taskId)
    answers.close()
  }
}

/** `isGiven`: whether the prompt was the answer; otherwise somebody else has answered. */
type Answered = { isGiven: boolean; stopReason: Promise<StopReason> }

/** Answers the question for which the last turn has stopped. Undefined: there is none. `cancels`: those before the prompt. */
export const answerInWords = async (
  editor: Editor,
  session: Session,
  message_content: MessageContent,
  cancels: number,
): Promise<Answered | undefined> => {
  const { asked } = session
  const [question, ...questions] = asked?.questions ?? []
  if (asked === undefined || question === undefined) return undefined
  const { taskId, last } = asked
  const { call_id } = question
  const isGiven = await editor.server.ask(({ tasks }) =>
    inTime(tasks.input(taskId, [{ call_id, message_content }])),
  )
  session.asked = undefined // not before: an answer that does not arrive leaves the question to the next prompt
  const [next] = questions
  if (session.cancels !== cancels) await editor.server.ask(({ tasks }) => inTime(tasks.cancel(taskId)))
  else if (isGiven && next !== undefined) {
    session.asked = { ...asked, questions }
    await askInWords(editor, session, taskId, next)
    return { isGiven, stopReason: Promise.resolve('end_turn') }
  }
  return { isGiven, stopReason: followTurn(editor, session, taskId, { after: last }) }
}
