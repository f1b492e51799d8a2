// Large bodies are read in a thread of their own, one at a time, and senders take turns. The thread ends when it has had
// nothing to do for a while: what it has read takes memory.
import type { Worker } from 'node:worker_threads'
import { Invalid } from '../../contract/refusals.ts'
import { createFairTurns } from '../../fairness/fair-turns.ts'
import { startThread } from '../../platform/thread.ts'
import type { Done, Job, Parsed } from './body-thread.ts'

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
    /** Throws Invalid with what is wrong with it. The bytes are taken away from the caller. */
    async parse(holder: string, bytes: Uint8Array, isCreate: boolean): Promise<Parsed> {
      const done = await turn(holder, () => ask({ bytes, isCreate }))
      // What follows takes its own time: others have their turn between the two.
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
