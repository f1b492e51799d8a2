// Checks whether a crash can have left a WAL as it is. SQLite reads a WAL up to the first frame that does not match its
// checksum, and silently drops the rest. To drop the last commit can be right: a crash may have interrupted the writing
// of this commit, which then was never acknowledged. To drop earlier commits is wrong: each of them was synced before
// the next one began.
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { CannotStart } from '../../contract/cannot-start.ts'

const headerBytes = 32
const frameHeaderBytes = 24
/** The bytes of the smallest file that can be a SQLite database: one page. */
export const smallestDatabase = 512

type Sums = readonly [number, number]

/** Computes SQLite's own checksum of a WAL, continued from the checksum of the bytes before. */
const sumsOf = (bytes: DataView, from: number, to: number, [a, b]: Sums, littleEndian: boolean): Sums => {
  for (let at = from; at < to; at += 8) {
    a = (a + bytes.getUint32(at, littleEndian) + b) >>> 0
    b = (b + bytes.getUint32(at + 4, littleEndian) + a) >>> 0
  }
  return [a, b]
}

const lengthOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0)
const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length)

/** Reads a file from an offset on, in pieces of `length` bytes. A shorter piece at the end is left out. */
function* piecesOf(file: number, from: number, length: number): Generator<Buffer> {
  const piece = Buffer.alloc(length)
  for (let at = from; readSync(file, piece, 0, length, at) === length; at += length) yield piece
}

/** Whether the file holds only zeros: the file system made it longer, but nothing was written. */
const isEmpty = (file: number): boolean => {
  const { size } = fstatSync(file)
  const piece = Buffer.alloc(64 * 1024)
  for (let at = 0; at < size; at += piece.length) {
    const read = readSync(file, piece, 0, piece.length, at)
    if (piece.subarray(0, read).some(byte => byte !== 0)) return false
  }
  return true
}

/** The part of a WAL that SQLite will read. `lost`: synced commits come after that part, and SQLite would drop them. */
type Contents = {
  lost: boolean
  pageSize: number
  /** The size of the database in pages, as of the last commit. */
  pages: number
  written: ReadonlySet<number>
}

/** Undefined: nothing was ever written to the WAL. */
const contentsOf = (file: number): Contents | undefined => {
  const header = Buffer.alloc(headerBytes)
  readSync(file, header, 0, headerBytes, 0)
  const littleEndian = header.readUInt32BE(0) === 0x377f0682
  const isOurs = littleEndian || header.readUInt32BE(0) === 0x377f0683
  let sums = sumsOf(viewOf(header), 0, 24, [0, 0], littleEndian)
  const fits = (bytes: Buffer, at: number) =>
    sums[0] === bytes.readUInt32BE(at) && sums[1] === bytes.readUInt32BE(at + 4)
  const pageSize = header.readUInt32BE(8)
  const written = new Set<number>()
  let pages = 0
  const contents = (lost: boolean) => ({ lost, pageSize, pages, written })
  if (!isOurs || !fits(header, 24)) return isEmpty(file) ? undefined : contents(true)

  const salts = header.subarray(16, 24)
  let isRead = true
  let commitsBehind = 0
  for (const frame of piecesOf(file, headerBytes, frameHeaderBytes + pageSize)) {
    // Frames with other salts were written before the WAL was last reset, and their pages are in the main file.
    const isOfThisLife = frame.subarray(8, 16).equals(salts)
    if (isRead) {
      sums = sumsOf(viewOf(frame), 0, 8, sums, littleEndian)
      sums = sumsOf(viewOf(frame), frameHeaderBytes, frame.length, sums, littleEndian)
      isRead = isOfThisLife && fits(frame, 16)
    }
    /** Pages of the database after this commit; 0: the commit continues in the next frame. */
    const pagesThen = frame.readUInt32BE(4)
    if (isRead) {
      written.add(frame.readUInt32BE(0))
      pages = pagesThen || pages
    } else if (isOfThisLife && pagesThen !== 0) commitsBehind++
    if (commitsBehind > 1) return contents(true)
  }
  return contents(false)
}

export const unfit = (path: string): CannotStart =>
  new CannotStart(`${path} and its WAL do not belong together: restore the log from a backup`)

/**
 * Returns how many pages are neither in the file nor in its WAL. Throws CannotStart when opening the log would lose
 * acknowledged events. Changes nothing.
 */
export const checkWal = (path: string): number => {
  const real = existsSync(path) ? realpathSync(path) : path
  const wal = `${real}-wal`
  if (real !== path && lstatSync(path).isSymbolicLink() && lengthOf(`${path}-wal`) > 0) {
    throw new CannotStart(`${path}-wal was left behind when the log was moved: move it beside ${real}`)
  }
  if (lengthOf(wal) === 0) return 0
  const file = openSync(wal, 'r')
  try {
    const contents = contentsOf(file)
    if (contents === undefined) return 0
    if (contents.lost) {
      throw new CannotStart(`${wal} is damaged before its last commit: restore the log from a backup`)
    }
    if (lengthOf(real) < smallestDatabase) {
      throw new CannotStart(`${path} is gone, and log.db-wal is not: restore the log from a backup`)
    }
    if (contents.pages === 0) return 0
    const inFile = Math.floor(lengthOf(real) / contents.pageSize)
    if (contents.pages < inFile) throw unfit(path) // a log never becomes shorter
    let missing = contents.pages - inFile
    for (const page of contents.written) if (page > inFile && page <= contents.pages) missing--
    return missing
  } finally {
    closeSync(file)
  }
}
