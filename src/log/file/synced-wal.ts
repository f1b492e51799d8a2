// Syncs the WAL after each commit, in place of SQLite, and makes it longer in large steps. SQLite calls fsync, which
// waits until the file system has written its journal, with the changes of all programs: a program of low priority can
// hold that up for a tenth of a second. fdatasync needs the journal only when the file became longer.
import { closeSync, fdatasyncSync, fstatSync, fsyncSync, openSync, statfsSync, writeSync } from 'node:fs'

/** Below this many bytes, SQLite makes the WAL longer as it needs it, so that the WAL of an idle server stays short. */
const least = 1 << 20

/** The WAL becomes longer only while the disk has room for this many steps, so that it never takes the last room. */
const roomInSteps = 16

export type SyncedWal = {
  /** Makes everything durable that was written to the WAL. Throws the error of the disk. */
  sync(): void
  /** Makes the WAL longer when SQLite has filled it. Commits after it need no journal until it is full again. */
  makeRoom(): void
  close(): void
}

/**
 * The write connection to the database must be open, and have written to the WAL before the first `sync`. `step`: bytes
 * by which the WAL becomes longer at once. They are zeros, which SQLite reads as the end of the WAL.
 */
export const openSyncedWal = (path: string, step: number): SyncedWal => {
  let file: number | undefined
  /** The length to which the WAL was made, in bytes. */
  let made = 0
  return {
    sync() {
      file ??= openSync(`${path}-wal`, 'r+')
      fdatasyncSync(file)
    },
    makeRoom() {
      if (file === undefined) return
      const { size } = fstatSync(file)
      if (size < made) made = 0 // it was emptied
      if (size <= Math.max(made, least)) return
      made = size + step
      try {
        const { bavail, bsize } = statfsSync(`${path}-wal`)
        if (bavail * bsize < roomInSteps * step) return
        writeSync(file, Buffer.alloc(step), 0, step, size)
        fsyncSync(file)
      } catch {} // the disk failed, which the next commit will notice
    },
    close() {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}
