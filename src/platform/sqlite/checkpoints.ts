// Decides when the WAL of a database is copied into its file. Another thread copies the WAL, because a copy ends with
// syncs of the disk. A commit would otherwise wait for these syncs while the disk is busy. SQLite begins a WAL anew
// only when the whole WAL was copied, which may never happen while others write. Then a writing connection copies the
// WAL itself when it has a certain number of pages (wal_autocheckpoint), and its caller waits. So the thread copies a long
// WAL until nothing is left, and a writer that can wait does so meanwhile (isFinishing).
import { closeWal, copyWal } from './copying.ts'
import { type Inodes, inodesOf } from './inodes.ts'

/** The WAL is copied this many milliseconds after a write, or at once when this many bytes were written. */
const afterMs = 1000
const afterBytes = 4 << 20

export type Checkpoints = {
  /** Called after a write, with the approximate number of bytes if it is known. */
  wrote(bytes?: number): void
  /** Whether a long WAL is copied to its end. This succeeds sooner if writes that can wait wait until it is false. */
  isFinishing(): boolean
  /** Lets the thread close the file, because the file will be opened again or replaced. */
  release(): Promise<void>
  /** Lets the thread close the file, and copies nothing from then on. */
  close(): Promise<void>
}

const noWait = Promise.resolve()
/** Copies nothing, for a database without a file. */
export const none: Checkpoints = {
  wrote: () => {},
  isFinishing: () => false,
  release: () => noWait,
  close: () => noWait,
}

let databases = 0

export const createCheckpoints = (path: string): Checkpoints => {
  const database = ++databases
  /** The files as they were at the first write. */
  let inodes: Inodes | undefined
  let timer: NodeJS.Timeout | undefined
  /** The copy that runs. */
  let copying: Promise<void> | undefined
  let isFinishing = false
  let isInThread = false
  let isClosed = false
  let isReleasing = false
  /** Whether something was written since the last copy began, and how many bytes, roughly. */
  let isBehind = false
  let bytesBehind = 0

  const stopTimer = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const copy = (files: Inodes) => {
    stopTimer()
    isBehind = false
    bytesBehind = 0
    isInThread = true
    const finishes = () => {
      isFinishing = copying === copied
    }
    const copied = copyWal({ database, path, inodes: files }, finishes).then(() => {
      if (copying !== copied) return
      copying = undefined
      isFinishing = false
      if (isBehind && inodes !== undefined) plan(inodes)
    })
    copying = copied
  }
  const plan = (files: Inodes) => {
    if (copying !== undefined || isClosed) return
    if (bytesBehind >= afterBytes) copy(files)
    else timer ??= setTimeout(copy, afterMs, files).unref()
  }
  const release = async () => {
    stopTimer()
    inodes = undefined
    copying = undefined
    isFinishing = false
    isBehind = false
    bytesBehind = 0
    if (!isInThread) return
    isInThread = false
    isReleasing = true
    await closeWal(database)
    isReleasing = false
  }
  return {
    wrote(bytes = 0) {
      if (isReleasing) return // these files are about to be replaced, or to be opened again
      inodes ??= inodesOf(path)
      isBehind = true
      bytesBehind += bytes
      plan(inodes)
    },
    isFinishing: () => isFinishing,
    release,
    close() {
      isClosed = true
      return release()
    },
  }
}
