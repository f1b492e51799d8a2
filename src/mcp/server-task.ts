// Follows the task that a server has answered a call with, until it gives the result of the call (the extension
// io.modelcontextprotocol/tasks). The server goes on by itself meanwhile, so a restart takes the task up by its id.
import type { Timers } from '../contract/ports.ts'
import { Interrupted, type ToolInput } from '../contract/tools.ts'
import { sleep } from '../platform/sleep.ts'
import { type CallResult, readResult } from './content.ts'
import { McpFailure } from './failure.ts'
import { givenFor, questionsIn, stateOf } from './input-required.ts'
import { awayMs, mostRounds, pollMs } from './limits.ts'
import { type Fields, isFields } from './reading/heard.ts'
import { wordsIn } from './reading/words.ts'
import type { McpServer } from './server.ts'

export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** A server has answered a call with a task. */
export type ServerTask = { taskId: string; pollMs: number }

const pollOf = ({ pollIntervalMs: ms }: Fields): number =>
  typeof ms === 'number' && Number.isFinite(ms)
    ? Math.min(Math.max(ms, pollMs.least), pollMs.most)
    : pollMs.usual

/** What is stored of a task, so that a later process can follow it. */
export const promiseOf = (task: ServerTask): string => JSON.stringify(task)
export const promisedIn = (promise: string): ServerTask => JSON.parse(promise) as ServerTask

/** The task in the answer to a call; undefined: the answer is a result. */
export const taskIn = (result: unknown): ServerTask | undefined =>
  isFields(result) && result.resultType === 'task' && typeof result.taskId === 'string'
    ? { taskId: result.taskId, pollMs: pollOf(result) }
    : undefined

const failed = (content: string): CallResult => ({ content, isError: true })

/** The result of the call; undefined: the task goes on. */
const resultIn = (state: Fields): CallResult | undefined => {
  const said = typeof state.statusMessage === 'string' ? `: ${state.statusMessage}` : ''
  switch (state.status) {
    case 'completed':
      return readResult(state.result)
    case 'failed':
      return failed(wordsIn(state.error) || `the task of the call failed${said}`)
    case 'cancelled':
      return failed(`the server has canceled the task of the call${said}`)
  }
  return undefined
}

/** `ask`: asks the user. `asked`: what the call has asked in an earlier process. Both absent: nobody can be asked. */
export type TaskAsks = {
  server?: McpServer
  ask?: ToolInput['ask'] | undefined
  asked?: ToolInput['asked']
}

type Follow = {
  timers: Pick<Timers, 'after'>
  signal: AbortSignal
  /** Receives what the server says about the task while it works. */
  hear: (message: string) => void
  asks: TaskAsks
  /** Sends a request to the server; rejects with McpFailure. */
  send: (method: string, params: Fields, signal: AbortSignal) => Promise<unknown>
}

/** Milliseconds for which a cancel waits for its answer. */
const goodbyeMs = 5000

const cancel = async ({ send, timers }: Follow, taskId: string): Promise<void> => {
  const late = new AbortController()
  const stop = timers.after(goodbyeMs, () => late.abort(new Error('too late')))
  await send('tasks/cancel', { taskId }, late.signal).catch(() => {})
  stop()
}

/** Gives the task what it asks for. Returns why that cannot be; undefined: it is given, or was before. */
const giveMore = async (
  { asks: { server, ask, asked }, signal, send }: Follow,
  taskId: string,
  requests: Fields,
  given: Set<string>,
): Promise<string | undefined> => {
  const keys = Object.keys(requests)
    .filter(key => !given.has(key))
    .sort()
  if (keys.length === 0) return undefined
  for (const key of keys) given.add(key)
  if (server === undefined || ask === undefined) return 'asks for more than the call gave it'
  if (given.size > mostRounds) return 'asks the user without end'
  const read = questionsIn(server, Object.fromEntries(keys.map(key => [key, requests[key]])))
  if ('problem' in read) return read.problem
  const state = stateOf(server, keys, { requestState: undefined }, 1)
  if (typeof state !== 'string') return state.problem
  const questions = [...read.questions.values()]
  const before = asked?.state === state ? asked.answers : undefined
  const { inputResponses } = givenFor(state, questions, before ?? (await ask(questions, { state })))
  await send('tasks/update', { taskId, inputResponses }, signal)
  return undefined
}

/** Rejects when the signal aborts; the task of the server is canceled then, unless only this process ends. */
export const followTask = async (task: ServerTask, given: Follow): Promise<CallResult> => {
  const { timers, signal, hear, send } = given
  const { taskId } = task
  let wait = task.pollMs
  let heard = ''
  /** The keys of what the task has been given. */
  const more = new Set<string>()
  /** Milliseconds for which the server could not be asked. */
  let away = 0
  try {
    for (;;) {
      await sleep(timers, wait, signal)
      signal.throwIfAborted()
      try {
        const state = await send('tasks/get', { taskId }, signal)
        away = 0
        if (!isFields(state)) return failed('the server does not say how the task of the call stands')
        const result = resultIn(state)
        if (result !== undefined) return result
        if (state.status === 'input_required') {
          const requests = isFields(state.inputRequests) ? state.inputRequests : {}
          const problem = await giveMore(given, taskId, requests, more)
          // The server keeps asking for what nobody will give.
          if (problem !== undefined) {
            await cancel(given, taskId)
            return failed(`the server ${problem}`)
          }
        }
        const { statusMessage } = state
        if (typeof statusMessage === 'string' && statusMessage !== heard) hear(statusMessage)
        heard = typeof statusMessage === 'string' ? statusMessage : heard
        wait = pollOf(state)
      } catch (error) {
        if (signal.aborted || !(error instanceof McpFailure) || error.isAnswer) throw error
        away += wait
        if (away > awayMs) throw error
        wait = Math.min(2 * wait, pollMs.most)
      }
    }
  } catch (error) {
    if (signal.aborted && !(signal.reason instanceof Interrupted)) await cancel(given, taskId)
    throw error
  }
}
