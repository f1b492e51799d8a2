// The thread that adds up the disk use of folders, one job after another.
import { parentPort } from 'node:worker_threads'
import { threadGivesWay } from '../../platform/give-way.ts'
import { type WalkJob, walk } from './walk.ts'

export type WalkRequest = { id: number; job: WalkJob }
export type WalkReply = { id: number; bytes: number }

threadGivesWay('all')
parentPort?.on('message', ({ id, job }: WalkRequest) => {
  parentPort?.postMessage({ id, bytes: walk(job) } satisfies WalkReply)
})
