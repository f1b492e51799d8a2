// One thread that answers one request after the other. A request that runs too long or takes too much memory ends
// the thread with it; those that wait for their turn are done by the next thread.
import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads'
import type { Timers } from '../contract/ports.ts'
import { startThread } from '../platform/thread.ts'
import type { Reply, Request } from './schema-thread.ts'

/** A check that has run for less than this part of its deadline was kept from running, and goes on. */
const enough = 0.8
/** Deadlines after which a check ends however little of them it has run. */
const mostDeadlines = 10

const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

type Job = {
  request: Request
  resolve: (problems: string[]) => void
  reject: (error: Error) => void
}
type Thread = { worker: Worker; port: MessagePort; isReady: boolean; name: string | undefined }
/** `ranBefore`: milliseconds that its thread had run when it began. */
type Running = { job: Job; ranBefore: number | undefined; deadlines: number; stopTimer: () => void }
/** Milliseconds that a thread has run; undefined: nobody counts. */
export type RunTime = (thread: string | undefined) => number | undefined

export type SchemaThread = {
  /** Problems: none if the value fits the schema, or, without a value, if the schema is one. */
  ask(request: Request): Promise<string[]>
  close(): Promise<void>
}

export const schemaThread = (
  deadlineMs: number,
  timers: Pick<Timers, 'after'>,
  runTime: RunTime,
): SchemaThread => {
  const waiting: Job[] = []
  const ending = new Set<Promise<unknown>>()
  let thread: Thread | undefined
  let running: Running | undefined
  let isClosed = false

  const next = (): void => {
    if (running !== undefined) return
    if (waiting.length === 0) {
      thread?.worker.unref()
      return
    }
    thread ??= start()
    thread.worker.ref() // only as long as somebody waits
    if (!thread.isReady) return
    const job = waiting.shift() as Job
    const ranBefore = runTime(thread.name)
    running = { job, ranBefore, deadlines: 1, stopTimer: timers.after(deadlineMs, late) }
    thread.port.postMessage(job.request)
  }

  const start = (): Thread => {
    const { port1: port, port2 } = new MessageChannel()
    const worker = startThread('schema-thread.mjs', {
      workerData: { port: port2 },
      transferList: [port2],
      resourceLimits,
    })
    const started: Thread = { worker, port, isReady: false, name: undefined }
    port.on('message', (reply: Reply) => {
      if (thread !== started) return
      take(reply)
      next()
    })
    port.unref()
    worker.on('error', error => lost(started, error))
    worker.on('exit', () => lost(started, new Error('the schema thread ended')))
    return started
  }

  const take = (reply: Reply): void => {
    if ('ready' in reply) {
      if (thread) Object.assign(thread, { isReady: true, name: reply.thread })
    } else settle(({ resolve }) => resolve(reply.problems))
  }

  /** Ends the request that runs, if one still does. */
  const settle = (end: (job: Job) => void): void => {
    const ended = running
    running = undefined
    ended?.stopTimer()
    if (ended) end(ended.job)
  }

  /** Takes what the thread has said and nobody has heard yet: we may be late because this thread was busy. */
  const hear = (port: MessagePort): void => {
    for (let heard = receiveMessageOnPort(port); heard; heard = receiveMessageOnPort(port))
      take(heard.message)
  }

  /** Whether other work of the machine kept this check from running. */
  const wasKept = ({ ranBefore, deadlines }: Running): boolean => {
    const ran = runTime(thread?.name)
    if (ran === undefined || ranBefore === undefined || deadlines >= mostDeadlines) return false
    return ran - ranBefore < deadlineMs * enough
  }

  const late = (): void => {
    if (thread) hear(thread.port)
    if (running && wasKept(running)) {
      running.deadlines++
      running.stopTimer = timers.after(deadlineMs, late)
      return
    }
    if (running) end()
    settle(({ resolve }) => resolve([`the check took longer than ${deadlineMs} ms`]))
    next()
  }

  const lost = (one: Thread, error: Error & { code?: string }): void => {
    if (thread !== one) return
    hear(one.port)
    end()
    const isTooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    // A thread that cannot even start is no fault of one request.
    if (!one.isReady) for (const { reject } of waiting.splice(0)) reject(error)
    settle(({ resolve, reject }) => {
      if (isTooMuch) resolve(['the check took too much memory'])
      else reject(error)
    })
    next()
  }

  const end = (): void => {
    const ended = thread
    thread = undefined
    if (ended === undefined) return
    ended.port.close()
    const gone = ended.worker.terminate().finally(() => ending.delete(gone))
    ending.add(gone)
  }

  const closed = () => new Error('the schema checker is closed')
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
