// Large bodies are read in a separate thread, one at a time, and senders take turns. The thread ends after it was idle
// for a while, because what it has read takes memory.
import type { Worker } from 'node:worker_threads'
import { Invalid } from '../../contract/refusals.ts'
import { createFairTurns } from '../../fairness/fair-turns.ts'
import { startThread } from '../../platform/thread.ts'
import type { Done, Job, Parsed } from './body-thread.ts'

/** Milliseconds after which the idle thread ends. */
const idleMs = 10_000

export const createBodyThread = () => {
  let worker: Worker | undefined
  let asked = 0
  let idle: NodeJS.Timeout | undefined
  const turn = createFairTurns({ most: 1, mostOfOne: 1 })
  let isClosed = false

  const end = async (): Promise<void> => {
    clearTimeout(idle)
    const ended = worker
    worker = undefined
    await ended?.terminate()
  }

  const ask = (job: Omit<Job, 'id'>): Promise<Done> =>
    new Promise((resolve, reject) => {
      if (isClosed) throw new Error('no body is read any more')
      clearTimeout(idle)
      worker ??= startThread('body-thread.mjs', {})
      const thread = worker
      const over = () => {
        thread.off('message', answered).off('error', failed).off('exit', gone)
        idle = setTimeout(() => void end(), idleMs).unref()
        thread.unref()
      }
      const answered = (done: Done) => {
        over()
        resolve(done)
      }
      const failed = (error: Error) => {
        over()
        if (worker === thread) worker = undefined
        reject(error)
      }
      const gone = () => failed(new Error('the thread that reads bodies ended'))
      thread.on('message', answered).on('error', failed).on('exit', gone)
      thread.ref()
      const { buffer, byteOffset, byteLength } = job.bytes
      const isAlone = byteOffset === 0 && byteLength === buffer.byteLength
      const bytes = isAlone ? job.bytes : job.bytes.slice()
      thread.postMessage({ ...job, bytes, id: ++asked } satisfies Job, [bytes.buffer as ArrayBuffer])
    })

  return {
    /**
     * Throws Invalid with all problems of the body. The bytes move to the thread: the caller cannot use them any more.
     */
    async parse(holder: string, bytes: Uint8Array, isCreate: boolean): Promise<Parsed> {
      const done = await turn(holder, () => ask({ bytes, isCreate }))
      // The next part of the request takes time too. Others get their turn of the event loop in between.
      await new Promise(resolve => setImmediate(resolve))
      if ('problems' in done) throw new Invalid(done.problems)
      return done
    },
    async close(): Promise<void> {
      isClosed = true
      await end()
    },
  }
}
