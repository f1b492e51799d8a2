// Sends jobs to the thread that walks through folders. The thread starts with the first job and ends when it has had no
// job for a while.
import type { Worker } from 'node:worker_threads'
import type { Timers } from '../../contract/ports.ts'
import { startThread } from '../../platform/thread.ts'
import type { WalkJob } from './walk.ts'
import type { WalkReply, WalkRequest } from './walk-thread.ts'

const idleMs = 60_000

type Waiting = { resolve: (bytes: number) => void; reject: (error: Error) => void }
export type Walker = {
  /** Resolves with the bytes that the folders use. Rejects when the thread ends. */
  walk(job: WalkJob): Promise<number>
  close(): Promise<void>
}

export const createWalker = (timers: Pick<Timers, 'after'>): Walker => {
  const waiting = new Map<number, Waiting>()
  let thread: Worker | undefined
  let asked = 0
  let cancelIdle = () => {}
  let isClosed = false

  const end = (ended: Worker, why: string) => {
    if (thread !== ended) return
    thread = undefined
    for (const { reject } of waiting.values()) reject(new Error(why))
    waiting.clear()
  }
  const endIdle = (worker: Worker) => {
    if (thread === worker) thread = undefined // a job that comes before the thread has ended starts another one
    void worker.terminate()
  }
  const start = (): Worker => {
    const worker = startThread('walk-thread.mjs', { resourceLimits: { maxOldGenerationSizeMb: 256 } })
    worker.on('message', ({ id, bytes }: WalkReply) => {
      waiting.get(id)?.resolve(bytes)
      waiting.delete(id)
      if (waiting.size === 0) cancelIdle = timers.after(idleMs, () => endIdle(worker))
    })
    worker.on('error', error => end(worker, error.message))
    worker.on('exit', () => end(worker, 'the thread that walks through folders has ended'))
    worker.unref() // after the listeners are added, because adding one keeps the process alive
    return worker
  }

  return {
    walk(job) {
      if (isClosed) return Promise.reject(new Error('the server is shutting down'))
      cancelIdle()
      thread ??= start()
      const id = ++asked
      thread.postMessage({ id, job } satisfies WalkRequest)
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
    },
    async close() {
      isClosed = true
      cancelIdle()
      await thread?.terminate()
    },
  }
}
