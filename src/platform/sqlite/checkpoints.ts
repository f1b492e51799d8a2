// Decides when the WAL of a database is copied into its file. A thread copies it, because a copy ends with syncs, and a
// commit would have to wait for them while the disk is busy. A WAL begins again at its start only when all of it was
// copied, which the thread cannot do while others write. So a writing connection copies the WAL itself from a number of
// pages on (wal_autocheckpoint); most pages are in the file by then.
import type { Worker } from 'node:worker_threads'
import { startThread } from '../thread.ts'
import { type Inodes, inodesOf } from './inodes.ts'

/** Milliseconds from the first write to the copy, and bytes after which the copy does not wait for them. */
const afterMs = 1000
const afterBytes = 4 << 20
export type Checkpoints = {
  /** Says that something was written, with the approximate number of bytes, if known. */
  wrote(bytes?: number): void
  /** Closes the file, because it will be opened again or replaced. */
  release(): Promise<void>
  /** The same, for good. */
  close(): Promise<void>
}

const noWait = Promise.resolve()
export const none: Checkpoints = { wrote: () => {}, release: () => noWait, close: () => noWait }

export const createCheckpoints = (path: string): Checkpoints => {
  /** The files at the first write. */
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
