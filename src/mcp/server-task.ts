// Follows the task that a server has answered a call with, until it gives the result of the call (the extension
// io.modelcontextprotocol/tasks). The server goes on by itself meanwhile, so a restart takes the task up by its id.
import type { Timers } from '../contract/ports.ts'
import { Interrupted } from '../contract/tools.ts'
import { sleep } from '../platform/sleep.ts'
import { type CallResult, readResult } from './content.ts'
import { McpFailure } from './failure.ts'
import { awayMs, pollMs } from './limits.ts'
import { type Fields, isFields } from './reading/heard.ts'
import { wordsIn } from './reading/words.ts'
import { createTaskQuestions, type TaskAsks } from './task-questions.ts'

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

/** Rejects when the signal aborts; the task of the server is canceled then, unless only this process ends. */
export const followTask = async (task: ServerTask, given: Follow): Promise<CallResult> => {
  const { timers, signal, hear, send, asks } = given
  const { taskId } = task
  const questions = createTaskQuestions(asks, taskId)
  let wait = task.pollMs
  let heard = ''
  /** Whether the server has refused the results that the task wants. */
  let isRefused = false
  /** Milliseconds for which the server could not be asked. */
  let away = 0

  const giveResults = async (): Promise<void> => {
    const inputResponses = questions.results()
    if (inputResponses === undefined) return
    try {
      await send('tasks/update', { taskId, inputResponses }, signal)
      questions.given()
      isRefused = false
    } catch (error) {
      // The task may have ended, or gone on, without them. It is looked at once more.
      if (isRefused || !(error instanceof McpFailure && error.isAnswer)) throw error
      isRefused = true
    }
  }
  try {
    for (;;) {
      await sleep(timers, wait, questions.wakes(signal))
      signal.throwIfAborted()
      try {
        const state = await send('tasks/get', { taskId }, signal)
        away = 0
        if (!isFields(state)) return failed('the server does not say how the task of the call stands')
        const result = resultIn(state)
        if (result !== undefined) return result
        if (state.status === 'input_required') {
          const problem = questions.hear(isFields(state.inputRequests) ? state.inputRequests : {})
          // The server keeps asking for what nobody will give.
          if (problem !== undefined) {
            await cancel(given, taskId)
            return failed(problem)
          }
          await giveResults()
        }
        const { statusMessage } = state
        if (typeof statusMessage === 'string' && statusMessage !== heard) hear(statusMessage)
        heard = typeof statusMessage === 'string' ? statusMessage : heard
        wait = pollOf(state)
      } catch (error) {
        if (signal.aborted || !(error instanceof McpFailure) || error.isAnswer) throw error
        // The user may take longer to answer than a server may be away.
        away = questions.isAsking() ? 0 : away + wait
        if (away > awayMs) throw error
        wait = Math.min(2 * wait, pollMs.most)
      }
    }
  } catch (error) {
    if (signal.aborted && !(signal.reason instanceof Interrupted)) await cancel(given, taskId)
    throw error
  } finally {
    if (!signal.aborted) await questions.withdraw()
  }
}
