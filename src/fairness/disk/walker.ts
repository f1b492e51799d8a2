// Sends jobs to the thread that walks through folders. The thread starts with the first job and ends when it has had no
// job for a while.
import type { Timers } from '../../contract/ports.ts'
import { createAskedThread } from '../../platform/threads/asked-thread.ts'
import type { WalkJob } from './walk.ts'

const idleMs = 60_000

export type Walker = {
  /** Resolves with the bytes that the folders use. Rejects when the thread ends. */
  walk(job: WalkJob): Promise<number>
  close(): Promise<void>
}

export const createWalker = ({ after }: Pick<Timers, 'after'>): Walker => {
  const thread = createAskedThread<WalkJob, number>('walk-thread.mjs', {
    name: 'the thread that walks through folders',
    worker: { resourceLimits: { maxOldGenerationSizeMb: 256 } },
    keepsAlive: 'never',
    idle: { ms: idleMs, after },
  })
  let isClosed = false
  return {
    walk: job => (isClosed ? Promise.reject(new Error('the server is shutting down')) : thread.ask(job)),
    close() {
      isClosed = true
      return thread.end()
    },
  }
}
