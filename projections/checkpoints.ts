// When what was written beside the file of the read models is copied into it: a moment after something was written, in a
// thread. A copy ends with syncs, for which the event loop would wait as long as the disk is busy with something else.
import type { Worker } from 'node:worker_threads'
import { startThread } from '../src/thread.ts'

/** Milliseconds from the first write to the copy. */
const afterMs = 1000
/**
 * Pages beside the file with which the thread that writes makes the copy itself, because others wrote while the other thread
 * did. Most of them are in the file already.
 */
export const mostPages = 32_768

export type Checkpoints = {
  /** Something was written. */
  wrote(): void
  close(): void
}

export const none: Checkpoints = { wrote: () => {}, close: () => {} }

export const createCheckpoints = (path: string): Checkpoints => {
  let worker: Worker | undefined
  let cancel: (() => void) | undefined
  let isCopying = false
  let isClosed = false
  /** Something was written since the last copy began. */
  let isBehind = false

  const start = (): Worker => {
    const started = startThread('checkpoint-thread.mjs', { workerData: { path } })
    const gone = () => {
      if (worker !== started) return
      worker = undefined
      copied()
    }
    started.on('message', copied).on('error', gone).on('exit', gone)
    started.unref() // only now: to listen is to keep the process alive
    return started
  }
  const copied = () => {
    isCopying = false
    if (isBehind && !isClosed) copyLater()
  }
  const copyLater = () => {
    const timer = setTimeout(() => {
      cancel = undefined
      isCopying = true
      isBehind = false
      worker ??= start()
      worker.postMessage('copy')
    }, afterMs)
    timer.unref()
    cancel = () => clearTimeout(timer)
  }
  return {
    wrote() {
      isBehind = true
      if (cancel === undefined && !isCopying) copyLater()
    },
    close() {
      isClosed = true
      cancel?.()
      void worker?.terminate()
    },
  }
}
