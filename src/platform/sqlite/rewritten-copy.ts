// Copies a database as its rows are now. The new file has none of the texts that removed rows have left in the old
// file.

import { once } from 'node:events'
import { closeSync, openSync, rmSync } from 'node:fs'
import { syncFileLater } from '../files/plain-file.ts'
import { startThread } from '../threads/thread.ts'

/**
 * Milliseconds between two syncs while the copy is written. A sync of the log waits while the disk is busy, so what
 * the copy has must never be much at a time.
 */
const syncEveryMs = 50

/** Rejects when the disk is full, for example. */
export const rewrittenCopy = async (from: string, to: string): Promise<void> => {
  rmSync(to, { force: true })
  closeSync(openSync(to, 'wx', 0o600)) // the file has its mode before it has any content
  const thread = startThread('rewrite-thread.mjs', { workerData: { from, to } })
  let isMade = false
  const made = once(thread, 'exit').finally(() => {
    isMade = true
  })
  made.catch(() => {}) // until it is awaited
  try {
    while (!isMade) {
      await Promise.race([made, new Promise(resolve => setTimeout(resolve, syncEveryMs))])
      await syncFileLater(to)
    }
    await made // rejects with the error of the thread
  } catch (error) {
    await thread.terminate() // until the thread has ended, it occupies the space of the file
    rmSync(to, { force: true })
    throw error
  }
}
