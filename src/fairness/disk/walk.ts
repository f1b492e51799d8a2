// Adds up what folders use on the disk. Runs in a thread of its own, where it delays nobody.
import { type Dirent, lstatSync, opendirSync, realpathSync, rmSync } from 'node:fs'
import path from 'node:path'

export type WalkJob = {
  folders: string[]
  /**
   * Milliseconds. Temporary files of file tools that are older than this server are removed: an earlier server was
   * killed.
   */
  startedAt: number
  /** Bytes at which the count may stop. */
  enough: number
}

/** Bytes that each file and folder counts at least, for its name and its place in the file system. */
export const leastBytes = 4096
const blockBytes = 512
/** The names that put-file.ts gives to unfinished files. */
const temporary = /^\.reprise-[\w-]{22}$/

/** Bytes of one entry; 0 if it was removed meanwhile. Links are not followed. */
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

/** Yields entries one by one: a folder may have more than fit into memory. */
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
      return [realpathSync(folder)] // the operator may have made it a link to another place
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
      // A folder that may not be read could hold anything, so it counts as too much. After any other error it is gone.
      if ((error as { code: string }).code === 'EACCES') bytes += enough
    }
  }
  return bytes
}
