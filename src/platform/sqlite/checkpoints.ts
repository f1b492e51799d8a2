// Decides when the WAL of a database is copied into its file. Another thread copies the WAL, because a copy ends with
// syncs of the disk. A commit would otherwise wait for these syncs while the disk is busy. SQLite begins a WAL anew
// only when the whole WAL was copied, which may never happen while others write. Then a writing connection copies the
// WAL itself when it has a certain number of pages (wal_autocheckpoint), and its caller waits. So the thread copies a long
// WAL until nothing is left, and a writer that can wait does so meanwhile (isCopying).
import { closeWal, copyWal } from './copying.ts'
import { type Inodes, inodesOf } from './inodes.ts'

/** The WAL is copied this many milliseconds after a write, or at once when this many bytes were written. */
const afterMs = 1000
const afterBytes = 4 << 20

export type Checkpoints = {
  /** Called when a transaction begins that stays open for a while. No copy begins before `wrote` is called. */
  writes(): void
  /** Called after a commit, with the approximate number of bytes if it is known. */
  wrote(bytes?: number): void
  /** Whether the WAL is copied. It is copied to its end sooner if writes that can wait wait until this is false. */
  isCopying(): boolean
  /** Lets the thread close the file, because the file will be opened again or replaced. `copies`: the thread copies the WAL before. */
  release(copies?: boolean): Promise<void>
  /** Lets the thread close the file, and copies nothing from then on. */
  close(): Promise<void>
}

const noWait = Promise.resolve()
/** Copies nothing, for a database without a file. */
export const none: Checkpoints = {
  writes: () => {},
  wrote: () => {},
  isCopying: () => false,
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
  /** A transaction is open: what it writes is not in the WAL yet. */
  let isWriting = false
  /** The time for a copy has come while a transaction was open. */
  let isDue = false
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
    isBehind = isDue = false
    bytesBehind = 0
    isInThread = true
    const copied = copyWal({ database, path, inodes: files }).then(() => {
      if (copying !== copied) return
      copying = undefined
      if (isBehind && inodes !== undefined) plan(inodes)
    })
    copying = copied
  }
  const plan = (files: Inodes) => {
    if (copying !== undefined || isClosed) return
    if (isDue || bytesBehind >= afterBytes) copy(files)
    else timer ??= setTimeout(copyOrWait, afterMs, files).unref()
  }
  const copyOrWait = (files: Inodes) => {
    stopTimer()
    if (isWriting) isDue = true
    else copy(files)
  }
  const release = async (copies = false) => {
    if (copies && inodes !== undefined) copy(inodes)
    stopTimer()
    inodes = undefined
    copying = undefined
    isBehind = isDue = isWriting = false
    bytesBehind = 0
    if (!isInThread) return
    isInThread = false
    isReleasing = true
    await closeWal(database)
    isReleasing = false
  }
  return {
    writes() {
      isWriting = true
    },
    wrote(bytes = 0) {
      isWriting = false
      if (isReleasing) return // these files are about to be replaced, or to be opened again
      inodes ??= inodesOf(path)
      isBehind = true
      bytesBehind += bytes
      plan(inodes)
    },
    isCopying: () => copying !== undefined,
    release,
    close() {
      isClosed = true
      return release()
    },
  }
}
