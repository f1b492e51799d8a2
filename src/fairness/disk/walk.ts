// What folders use on the disk. Runs in a thread of its own, where it holds nobody up.
import { type Dirent, lstatSync, opendirSync, realpathSync, rmSync } from 'node:fs'
import path from 'node:path'

export type WalkJob = {
  folders: string[]
  /** Files that a tool was writing when an earlier server was killed: older than this, they are removed. */
  startedAt: number
  /** No need to count further than this. */
  enough: number
}

/** Each file and folder counts this much at least, for its name and its place in the file system. */
export const leastBytes = 4096
const blockBytes = 512
/** As put-file.ts names what it is writing. */
const temporary = /^\.reprise-[\w-]{22}$/

/** What one entry uses; what has gone meanwhile uses nothing. Links are not followed. */
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

/** One by one: a folder may have more than fit into memory. */
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
      return [realpathSync(folder)] // an operator may have put it elsewhere
    } catch {
      return [] // it is not made yet
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
      // What cannot be looked into could hold anything: it counts as too much. Anything else has gone.
      if ((error as { code: string }).code === 'EACCES') bytes += enough
    }
  }
  return bytes
}
