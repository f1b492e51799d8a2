// Copies a database as its rows are now. The new file has none of the texts that removed rows have left in the old
// file.

import { once } from 'node:events'
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { startThread } from '../thread.ts'

/** Rejects when the disk is full, for example. */
export const rewrittenCopy = async (from: string, to: string): Promise<void> => {
  rmSync(to, { force: true })
  closeSync(openSync(to, 'wx', 0o600)) // the file has its mode before it has any content
  const thread = startThread('rewrite-thread.mjs', { workerData: { from, to } })
  try {
    await once(thread, 'exit') // rejects with the error of the thread
    const copy = openSync(to, 'r')
    fsyncSync(copy)
    closeSync(copy)
  } catch (error) {
    await thread.terminate() // until the thread has ended, it occupies the space of the file
    rmSync(to, { force: true })
    throw error
  }
}
