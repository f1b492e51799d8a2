// The other side of thread.ts: a thread says that it is ready, does its one job, and says how that went.
import { parentPort, workerData } from 'node:worker_threads'
import { threadGivesWay } from '../platform/give-way.ts'

export type Said = { ready: true } | { answer: unknown } | { failure: string }

threadGivesWay('one')
const say = (said: Said) => parentPort?.postMessage(said)

export const doJob = async <Job>(work: (job: Job) => unknown): Promise<void> => {
  say({ ready: true })
  try {
    say({ answer: await work(workerData as Job) })
  } catch (error) {
    say({ failure: error instanceof Error ? error.message : String(error) })
  }
}
