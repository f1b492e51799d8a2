// A thread that answers one request after another. When a request takes too long or too much memory, the thread is
// ended, and a new thread answers the requests that still wait.
import type { Timers } from '../contract/ports.ts'
import { type Deadline, startDeadline } from '../platform/threads/deadline.ts'
import type { Request } from './schema-thread.ts'
import { type SchemaWorker, startSchemaWorker } from './schema-worker.ts'

type Job = {
  request: Request
  resolve: (problems: string[]) => void
  reject: (error: Error) => void
}
type Running = { job: Job; deadline: Deadline }
/** Milliseconds that a thread has run; undefined: the system does not count them. */
export type RunTime = (thread: string | undefined) => number | undefined

export type SchemaThread = {
  /** Resolves with the problems of the value. If the request has no value, with the problems of the schema. */
  ask(request: Request): Promise<string[]>
  close(): Promise<void>
}

/** A check gets at most this many deadlines one after another, even if other work keeps it from running. */
const mostDeadlines = 10
const outOfMemory = 'ERR_WORKER_OUT_OF_MEMORY'
const closed = () => new Error('the schema checker is closed')

export const schemaThread = (
  deadlineMs: number,
  timers: Pick<Timers, 'after'>,
  runTime: RunTime,
): SchemaThread => {
  const waiting: Job[] = []
  const ending = new Set<Promise<unknown>>()
  let worker: SchemaWorker | undefined
  let running: Running | undefined
  let isClosed = false

  const next = (): void => {
    if (running !== undefined) return
    if (waiting.length > 0) {
      worker ??= startSchemaWorker({
        answered: problems => settle(({ resolve }) => resolve(problems)),
        free: next,
        lost,
      })
    }
    worker?.keepAlive(waiting.length > 0) // only while a request waits
    const job = worker?.isReady() ? waiting.shift() : undefined
    if (worker === undefined || job === undefined) return
    const ran = () => runTime(worker?.name())
    running = { job, deadline: startDeadline({ ms: deadlineMs, most: mostDeadlines, timers, ran }, late) }
    worker.send(job.request)
  }

  /** Settles the running request, if there is one. */
  const settle = (answer: (job: Job) => void): void => {
    const ended = running
    running = undefined
    ended?.deadline.stop()
    if (ended) answer(ended.job)
  }

  const late = (): void => {
    worker?.receive()
    if (running?.deadline.putOff()) return
    if (running) end()
    settle(({ resolve }) => resolve([`the check took longer than ${deadlineMs} ms`]))
    next()
  }

  const lost = (error: Error & { code?: string }): void => {
    worker?.receive()
    // A thread that cannot even start is not the fault of one request, so all requests fail.
    if (!worker?.isReady()) for (const { reject } of waiting.splice(0)) reject(error)
    end()
    settle(({ resolve, reject }) =>
      error.code === outOfMemory ? resolve(['the check took too much memory']) : reject(error),
    )
    next()
  }

  const end = (): void => {
    if (worker === undefined) return
    const gone = worker.end().finally(() => ending.delete(gone))
    ending.add(gone)
    worker = undefined
  }

  return {
    ask: request =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(closed())
        waiting.push({ request, resolve, reject })
        return next()
      }),
    async close() {
      isClosed = true
      end()
      settle(({ reject }) => reject(closed()))
      for (const { reject } of waiting.splice(0)) reject(closed())
      await Promise.all(ending)
    },
  }
}
