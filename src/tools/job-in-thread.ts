// Runs inside of a thread of thread.ts: reports that it is ready, does one job, and reports the result.
import { parentPort, workerData } from 'node:worker_threads'
import { threadGivesWay } from '../platform/threads/give-way.ts'
import { ownThread } from '../platform/threads/thread-time.ts'

/** `ready`: the thread has loaded its code. `thread`: the name under which the system counts its run time. */
export type Said = { ready: true; thread: string | undefined } | { answer: unknown } | { failure: string }

threadGivesWay('one')
const say = (said: Said) => parentPort?.postMessage(said)

export const doJob = async <Job>(work: (job: Job) => unknown): Promise<void> => {
  say({ ready: true, thread: ownThread() })
  try {
    say({ answer: await work(workerData as Job) })
  } catch (error) {
    say({ failure: error instanceof Error ? error.message : String(error) })
  }
}
