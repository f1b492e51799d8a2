// Adds up the disk use of folders. It runs in a thread of its own, so that it does not delay the event loop.
import { type Dirent, lstatSync, opendirSync, realpathSync, rmSync } from 'node:fs'
import path from 'node:path'

export type WalkJob = {
  folders: string[]
  /**
   * When this server started, in milliseconds since the epoch. The walk removes temporary files of file tools that are
   * older, because they belong to an earlier server that was killed.
   */
  startedAt: number
  /** The number of bytes at which the count may stop. */
  enough: number
}

/**
 * The smallest number of bytes that a file or folder counts as. Even an empty file takes space for its name and its
 * entry in the file system.
 */
export const leastBytes = 4096
const blockBytes = 512
/** The names that put-file.ts gives to unfinished files. */
const temporary = /^\.reprise-[\w-]{22}$/

/** The bytes that one entry counts as; 0 if it was removed during the walk. Links are not followed. */
const sizeOf = (at: string, entry: Dirent, startedAt: number): number => {
  try {
    const stats = lstatSync(at)
    if (entry.isFile() && temporary.test(entry.name) && stats.mtimeMs < startedAt) {
      rmSync(at)
      return 0
    }
    return Math.max(stats.blocks * blockBytes, leastBytes)
  } catch {
    return 0
  }
}

/** Yields the entries of a folder one by one, because a folder may have more entries than fit into memory. */
function* entriesOf(folder: string): Generator<Dirent> {
  const open = opendirSync(folder, { bufferSize: 256 })
  try {
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) yield entry
  } finally {
    open.closeSync()
  }
}

export const walk = ({ folders, startedAt, enough }: WalkJob): number => {
  let bytes = 0
  const open = folders.flatMap(folder => {
    try {
      return [realpathSync(folder)] // the operator may have replaced the folder by a link
    } catch {
      return [] // the folder does not exist yet
    }
  })
  for (let folder = open.pop(); folder !== undefined && bytes < enough; folder = open.pop()) {
    try {
      for (const entry of entriesOf(folder)) {
        const at = path.join(folder, entry.name)
        bytes += sizeOf(at, entry, startedAt)
        if (entry.isDirectory()) open.push(at)
        if (bytes >= enough) break
      }
    } catch (error) {
      // A folder that the server may not read could hold anything, so it counts as too much. Any other error means that
      // the folder was removed.
      if ((error as { code: string }).code === 'EACCES') bytes += enough
    }
  }
  return bytes
}
