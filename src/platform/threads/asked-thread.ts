// A thread that answers questions, one after the other, in their order (`answerQuestions` in the thread). It starts with
// the first question. When it dies, its open questions fail, and the next question starts another one.
//
// Some threads are not asked in this way: one that serves every database and must never keep the process alive
// (sqlite/copying.ts), one whose replies are taken without waiting for the event loop (src/json-schema/schema-worker.ts),
// one that does a single job (sqlite/rewritten-copy.ts, src/tools), one that sends a stream of files
// (src/maintenance/export/sent-export.ts), and the lease of a cluster, where both sides speak first (src/cluster/lease.ts).
import type { Worker, WorkerOptions } from 'node:worker_threads'
import { DamagedEvent } from '../../contract/stored.ts'
import { TransientMap } from '../transient.ts'
import type { Reply } from './answer-questions.ts'
import { startThread } from './thread.ts'

type Options = {
  /** The thread in the errors of questions that it does not answer, such as `the thread that reads bodies`. */
  name: string
  worker?: WorkerOptions
  /** When the thread keeps the process alive. `asked`: while a question is open. */
  keepsAlive: 'always' | 'asked' | 'never'
  /** Ends the thread when it has had no question for so many milliseconds. `after` plans this end; it returns the cancel. */
  idle?: { ms: number; after?: (ms: number, end: () => void) => () => void }
}
type Open<Answer> = { resolve: (answer: Answer) => void; reject: (error: Error) => void }

const afterUnwatched = (ms: number, end: () => void): (() => void) => {
  const timer = setTimeout(end, ms).unref()
  return () => clearTimeout(timer)
}

/** An error that passes between threads loses its class, so it comes as its parts. */
const errorIn = (reply: Exclude<Reply, { answer: unknown }>): Error =>
  'damage' in reply
    ? new DamagedEvent(reply.damage.position, reply.damage.why)
    : Object.assign(new Error(reply.error.message), reply.error)

export const createAskedThread = <Question, Answer>(
  file: string,
  { name, worker = {}, keepsAlive, idle }: Options,
) => {
  const open = new TransientMap<number, Open<Answer>>()
  let thread: Worker | undefined
  /** The numbers of the newest question, and of the newest one that is not open any more. */
  let asked = 0
  let settled = 0
  let cancelIdle = () => {}

  const rejectAll = (error: Error): void => {
    for (const { reject } of open.values()) reject(error)
    open.clear()
    settled = asked
  }
  /** Ends the thread. A question that comes before it has ended starts another one. */
  const end = async (error = new Error(`${name} ended`)): Promise<void> => {
    cancelIdle()
    const last = thread
    thread = undefined
    rejectAll(error)
    await last?.terminate()
  }
  const rest = (): void => {
    if (keepsAlive === 'asked') thread?.unref()
    if (idle !== undefined) cancelIdle = (idle.after ?? afterUnwatched)(idle.ms, () => void end())
  }
  const take = (reply: Reply): void => {
    const question = open.get(++settled)
    open.delete(settled)
    if (open.size === 0) rest()
    if ('answer' in reply) question?.resolve(reply.answer as Answer)
    else question?.reject(errorIn(reply))
  }
  const start = (): Worker => {
    const started = startThread(file, worker)
    const gone = (error: Error) => {
      if (thread !== started) return // it was ended, and its questions were rejected then
      thread = undefined
      rejectAll(error)
    }
    started.on('message', (reply: Reply) => {
      if (thread === started) take(reply)
    })
    started.on('error', gone).on('exit', () => gone(new Error(`${name} ended`)))
    if (keepsAlive !== 'always') started.unref() // after the listeners are added, because adding one keeps the process alive
    return started
  }

  return {
    /** Starts the thread before its first question. */
    start(): void {
      thread ??= start()
    },
    isStarted: (): boolean => thread !== undefined,
    /** `moved`: memory of the question that moves to the thread. Rejects with the thread's error, or when it ends. */
    ask: (question: Question, moved: ArrayBuffer[] = []): Promise<Answer> =>
      new Promise((resolve, reject) => {
        thread ??= start()
        thread.postMessage(question, moved) // throws for a question that cannot be sent, and nothing has changed then
        cancelIdle()
        if (keepsAlive === 'asked') thread.ref()
        open.set(++asked, { resolve, reject })
      }),
    /** Ends the thread, also in the middle of a question. Open questions fail. */
    end,
  }
}
