// Reads large bodies in a separate thread, one at a time. Senders take turns. The thread ends when it has been idle for
// a while, because it keeps memory that its last bodies needed.
import type { Worker } from 'node:worker_threads'
import { arrived } from '../../contract/exact-number.ts'
import { Invalid } from '../../contract/refusals.ts'
import type { OperationId } from '../../documents/operations.ts'
import { createFairTurns } from '../../fairness/fair-turns.ts'
import { startThread } from '../../platform/thread.ts'
import type { Done, Job, Parsed } from './body-thread.ts'
import { alone } from './collect.ts'

/** Milliseconds without work after which the thread ends. */
const idleMs = 10_000

export const createBodyThread = () => {
  let worker: Worker | undefined
  let asked = 0
  let idle: NodeJS.Timeout | undefined
  const turn = createFairTurns({ places: 1, perUser: 1 })
  let isClosed = false

  const end = async (): Promise<void> => {
    clearTimeout(idle)
    const ended = worker
    worker = undefined
    await ended?.terminate()
  }

  const ask = (job: Omit<Job, 'id'>): Promise<Done> =>
    new Promise((resolve, reject) => {
      if (isClosed) throw new Error('the server is shutting down and reads no more bodies')
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
      const chunks = job.chunks.map(alone)
      const buffers = chunks.map(({ buffer }) => buffer as ArrayBuffer)
      thread.postMessage({ ...job, chunks, id: ++asked } satisfies Job, buffers)
    })

  return {
    /**
     * Throws Invalid when the body is no JSON, or when it is long and does not fit the schema of its operation. The
     * chunks move to the thread: the caller cannot use them any more.
     */
    async parse(holder: string, chunks: Uint8Array[], operation: OperationId | undefined): Promise<Parsed> {
      const done = await turn(holder, () => ask({ chunks, operation }))
      // The next part of the request also takes time on the main thread. Other requests get a turn of the event loop
      // before that part.
      await new Promise(resolve => setImmediate(resolve))
      if ('refused' in done) throw new Invalid(done.refused)
      const { carried, digest, problems } = done
      return { value: arrived(carried), digest, problems }
    },
    async close(): Promise<void> {
      isClosed = true
      await end()
    },
  }
}
