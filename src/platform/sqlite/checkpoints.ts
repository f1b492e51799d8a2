// Decides when the WAL of a database is copied into its file. A thread of its own copies the WAL, because a copy ends
// with syncs, for which a commit would otherwise have to wait while the disk is busy. SQLite writes a WAL from its
// start again only when all of it was copied, which the thread cannot do while others write. So a writing connection
// copies the WAL itself when it has a certain number of pages (wal_autocheckpoint). The thread has copied most of them
// by then.
import type { Worker } from 'node:worker_threads'
import { startThread } from '../thread.ts'
import { type Inodes, inodesOf } from './inodes.ts'

/** The WAL is copied this many milliseconds after a write, or at once when this many bytes were written. */
const afterMs = 1000
const afterBytes = 4 << 20

export type Checkpoints = {
  /** Called after a write, with the approximate number of bytes if it is known. */
  wrote(bytes?: number): void
  /** Ends the thread, which closes the file, because the file will be opened again or replaced. */
  release(): Promise<void>
  /** Ends the thread, and starts no other one. */
  close(): Promise<void>
}

const noWait = Promise.resolve()
/** Copies nothing, for a database without a file. */
export const none: Checkpoints = { wrote: () => {}, release: () => noWait, close: () => noWait }

export const createCheckpoints = (path: string): Checkpoints => {
  /** The files as they were at the first write. */
  let inodes: Inodes | undefined
  let worker: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  let isCopying = false
  let isClosed = false
  /** Whether something was written since the last copy began, and about how much. */
  let isBehind = false
  let bytesBehind = 0

  const start = (): Worker => {
    const started = startThread('checkpoint-thread.mjs', { workerData: { path, inodes } })
    const gone = () => {
      if (worker !== started) return
      worker = undefined
      copied()
    }
    started.on('message', copied).on('error', gone).on('exit', gone)
    started.unref() // only after `on`, which keeps the process alive
    return started
  }
  const copy = () => {
    clearTimeout(timer)
    timer = undefined
    isCopying = true
    isBehind = false
    bytesBehind = 0
    worker ??= start()
    worker.postMessage('copy')
  }
  const plan = () => {
    if (isCopying || isClosed) return
    if (bytesBehind >= afterBytes) copy()
    else timer ??= setTimeout(copy, afterMs).unref()
  }
  const copied = () => {
    isCopying = false
    if (isBehind) plan()
  }
  const release = async () => {
    clearTimeout(timer)
    timer = undefined
    const old = worker
    worker = undefined
    inodes = undefined
    isCopying = false
    await old?.terminate()
  }
  return {
    wrote(bytes = 0) {
      inodes ??= inodesOf(path)
      isBehind = true
      bytesBehind += bytes
      plan()
    },
    release,
    close() {
      isClosed = true
      return release()
    },
  }
}
