// A file with the hashes of the full tiles of leaves, one after the other. With this file, a start need not read the
// whole log. The file is not synced and has no checksum. So the start compares the root that follows from the file with
// a signed checkpoint, and makes the file again when the roots differ.
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs'
import { fromBytes, type Hash, hashBytes, toBytes } from '../tree/hash.ts'

const { O_CREAT, O_NONBLOCK, O_RDWR } = constants

/** For a reader in another process: the first `most` hashes of the file or fewer; none when the file cannot be read. */
export const readTiles = (path: string, most: number): Hash[] => {
  try {
    const bytes = readFileSync(path)
    const count = Math.min(most, Math.floor(bytes.length / hashBytes))
    return fromBytes(bytes.subarray(0, count * hashBytes))
  } catch {
    return []
  }
}

export type TileFile = {
  /** Returns at most `most` hashes from the beginning of the file, and cuts off the rest of the file. */
  read(most: number): Hash[]
  /** Adds the hashes that are not in the file yet. Does nothing when that fails: the next call tries again. */
  write(all: readonly Hash[]): void
  close(): void
}

/** Opens the file. When the file cannot be used, it counts as empty, and further hashes are not stored. */
export const openTileFile = (path: string): TileFile => {
  let file: number | undefined
  let stored = 0
  try {
    file = openSync(path, O_RDWR | O_CREAT | O_NONBLOCK, 0o600)
  } catch {}
  return {
    read(most) {
      if (file === undefined) return []
      try {
        const count = Math.min(most, Math.floor(fstatSync(file).size / hashBytes))
        const bytes = Buffer.alloc(count * hashBytes)
        const hashes = fromBytes(bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0)))
        ftruncateSync(file, hashes.length * hashBytes)
        stored = hashes.length
        return hashes
      } catch {
        return []
      }
    },
    write(all) {
      if (file === undefined || all.length === stored) return
      const bytes = toBytes(all.slice(stored))
      try {
        // After a write that failed half-way, the next write begins at the same place.
        if (writeSync(file, bytes, 0, bytes.length, stored * hashBytes) === bytes.length) stored = all.length
      } catch {}
    },
    close() {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}
