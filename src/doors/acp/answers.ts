// Gets from an editor what a task waits for: decisions, results of tools that the editor runs, and answers to questions.
import {
  methods,
  type PermissionOption,
  RequestError,
  type RequestPermissionRequest,
  type ToolCallContent,
} from '@agentclientprotocol/sdk'
import { withTask } from '../ids.ts'
import { toolOf } from './editor-tools.ts'
import { inTime, type Pending } from './server.ts'
import { type Editor, type Session, tell } from './session.ts'
import { argumentsOf, callShown } from './updates.ts'

/**
 * A call of a task that waits. `signal` aborts when somebody else has answered it, or the editor will be asked again. `runs`: from now
 * on the editor runs it.
 */
type Asking = {
  editor: Editor
  session: Session
  taskId: string
  call: Pending
  signal: AbortSignal
  runs: () => void
}

const allow: PermissionOption = { optionId: 'allow', name: 'Allow', kind: 'allow_once' }
const always: PermissionOption = { optionId: 'always', name: 'Always allow', kind: 'allow_always' }
const refuse: PermissionOption = { optionId: 'refuse', name: 'Refuse', kind: 'reject_once' }
const again: PermissionOption = { optionId: 'again', name: 'Run it again', kind: 'allow_once' }
const leave: PermissionOption = { optionId: 'leave', name: 'Do not run it again', kind: 'reject_once' }

/**
 * The option that the user has chosen. Undefined: nothing is to be done any more, because somebody else has answered or the
 * user has canceled the turn, and with it the task.
 */
const chosen = async (
  asking: Asking,
  options: PermissionOption[],
  about?: string,
): Promise<string | undefined> => {
  const { editor, session, taskId, call, signal } = asking
  const content: ToolCallContent[] | undefined =
    about === undefined ? undefined : [{ type: 'content', content: { type: 'text', text: about } }]
  const toolCall = { ...callShown(call, taskId), status: 'pending' as const, ...(content ? { content } : {}) }
  const request: RequestPermissionRequest = { sessionId: session.id, toolCall, options }
  const { outcome } = await editor.client.request(methods.client.session.requestPermission, request, {
    cancellationSignal: signal,
    stopWaitingOnCancel: true,
  })
  if (outcome.outcome === 'selected') return outcome.optionId
  await inTime(editor.server.ask(({ tasks }) => tasks.cancel(taskId)))
  return undefined
}

type Result = { message_content: string; status?: 'incomplete' }
const failed = (message_content: string): Result => ({ message_content, status: 'incomplete' })

/** What the editor says of its error. Its own SDK puts the words into the details. */
const wordsOf = (error: unknown): string => {
  const { data, message } = error as { data?: { details?: unknown }; message?: string }
  return typeof data?.details === 'string' ? data.details : (message ?? String(error))
}

const give = ({ editor, taskId, call }: Asking, result: Result): Promise<boolean> =>
  editor.server.ask(({ tasks }) => inTime(tasks.input(taskId, [{ call_id: call.call_id, ...result }])))

/** A call that runs when somebody has approved it. */
const decide = async (asking: Asking): Promise<void> => {
  const { editor, taskId, call } = asking
  const option = await chosen(asking, [allow, refuse])
  if (option === undefined) return
  const decision = option === allow.optionId ? 'approve' : 'refuse'
  await editor.server.ask(({ tasks }) => inTime(tasks.approvals(taskId, { call_id: call.call_id, decision })))
}

type Tool = NonNullable<ReturnType<typeof toolOf>>

const ranBy = async (tool: Tool, { editor, session, taskId, call, signal }: Asking): Promise<Result> => {
  const args = argumentsOf(call)
  const toolCallId = withTask(call.call_id, taskId)
  const show = (content: ToolCallContent[]) =>
    tell(editor, session, [{ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress', content }])
  try {
    if (typeof args !== 'object' || args === null) throw new Error('the arguments must be an object')
    const { client } = editor
    return { message_content: await tool.run({ client, place: session, args: { ...args }, show, signal }) }
  } catch (error) {
    if (editor.gone.aborted) throw error // the editor is gone: its next one is asked again
    return failed(wordsOf(error))
  }
}

/** A tool that the editor runs, with the permission of its user. */
const run = async (tool: Tool, asking: Asking): Promise<void> => {
  const { session, call, signal } = asking
  if (!session.allowed.has(call.name)) {
    const option = await chosen(asking, [allow, always, refuse])
    if (option === undefined) return
    if (option === always.optionId) session.allowed.add(call.name)
    else if (option !== allow.optionId) {
      await give(asking, failed('The user has refused this call.'))
      return
    }
  }
  if (signal.aborted) return
  asking.runs()
  await give(asking, await ranBy(tool, asking))
}

/** The text of a question. */
export const questionIn = (call: Pending): string => {
  const args = argumentsOf(call) as Record<string, unknown> | null
  const said = [args?.question, args?.message, args?.prompt].find(text => typeof text === 'string')
  return typeof said === 'string' ? said : `${call.name} ${call.arguments}`
}

/** A question to the user, in a form of the editor. */
const elicit = async (asking: Asking): Promise<void> => {
  const { editor, session, taskId, call, signal } = asking
  const answer = await editor.client.request(
    methods.client.elicitation.create,
    {
      mode: 'form',
      sessionId: session.id,
      toolCallId: withTask(call.call_id, taskId),
      message: questionIn(call),
      requestedSchema: {
        type: 'object',
        properties: { answer: { type: 'string', title: 'Answer' } },
        required: ['answer'],
      },
    },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  )
  const content = answer.action === 'accept' ? (answer.content as { answer?: unknown } | null) : undefined
  const text = content?.answer
  await give(
    asking,
    typeof text === 'string' ? { message_content: text } : failed('The user gave no answer.'),
  )
}

/** A call that may have run: only somebody who looks can know. */
const judge = async (asking: Asking): Promise<void> => {
  const { editor, taskId, call } = asking
  const about = `The server stopped while ${call.name} ran, so nobody knows whether it has run.`
  const option = await chosen(asking, [again, leave], about)
  if (option === undefined) return
  if (option !== again.optionId)
    await give(asking, failed(`${about} The user does not want it to run again.`))
  else await editor.server.ask(({ tasks }) => inTime(tasks.resume(taskId)))
}

/** What to do for a call. Undefined: it is a question that the next prompt answers, since the editor has no forms. */
const answererOf = ({ capabilities }: Editor, call: Pending) => {
  if (call.metadata?.approval === true) return decide
  const tool = toolOf(capabilities, call.name)
  if (tool !== undefined) return (asking: Asking) => run(tool, asking)
  return capabilities.elicitation?.form ? elicit : undefined
}

/** Whether the next prompts answer all of these calls. */
export const isInWords = (editor: Editor, calls: readonly Pending[]): boolean =>
  calls.every(call => answererOf(editor, call) === undefined)

/** The answers that one task gets from the editor. `onFailure`: the editor cannot be asked, or the server refuses. */
export const answersOf = (
  editor: Editor,
  session: Session,
  taskId: string,
  onFailure: (error: unknown) => void,
) => {
  const begun = new Map<string, AbortController>()
  const running = new Set<string>()
  let queue = Promise.resolve()
  const begin = (key: string, call: Pending, answer: (asking: Asking) => Promise<void>) => {
    if (begun.has(key)) return
    const isOver = new AbortController()
    begun.set(key, isOver)
    const { signal } = isOver
    const runs = () => void running.add(key)
    const isPast = (error: unknown) => signal.aborted && error instanceof RequestError
    // One question after the other: an editor shows one at a time.
    queue = queue.then(async () => {
      if (signal.aborted) return
      await answer({ editor, session, taskId, call, signal, runs }).catch(error => {
        if (!isPast(error)) onFailure(error)
      })
    })
  }
  const end = (key: string) => begun.get(key)?.abort()
  return {
    /** Begins to answer these calls. Resolves to the questions that are left for the next prompt. */
    async answer(calls: readonly Pending[]): Promise<Pending[]> {
      const left: Pending[] = []
      for (const call of calls) {
        const answer = answererOf(editor, call)
        if (answer === undefined) left.push(call)
        else begin(call.call_id, call, answer)
      }
      await queue
      return left
    },
    /** `at`: the number of the frame with which the task was paused. */
    judge: (call: Pending, at: number): void => begin(`paused ${at}`, call, judge),
    /** Takes back what the editor was asked, so that it can be asked again. What the editor runs already goes on, once. */
    withdraw(): void {
      for (const key of [...begun.keys()].filter(each => !running.has(each))) {
        end(key)
        begun.delete(key)
      }
    },
    /** The task has gone on. */
    goesOn(): void {
      for (const key of begun.keys()) if (key.startsWith('paused ')) end(key)
    },
    /** The call has its result. */
    hasResult: end,
    close(): void {
      for (const key of begun.keys()) end(key)
    },
  }
}
