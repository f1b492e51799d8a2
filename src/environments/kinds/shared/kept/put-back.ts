// Restores files, folders and links as they were listed. Unchanged files stay in place, so that a large folder need not
// be written again.
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  mkdirSync,
  openSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { bytesOf, type Found } from './found.ts'
import type { Listed } from './listing.ts'
import { type Piece, sha256 } from './packs.ts'
import { isReadable, readPieces } from './read-pieces.ts'

type File = Listed & { is: 'file' }
type Job = {
  /** The present contents of the folder. */
  found: Found[]
  read: (piece: Piece) => Buffer
  /** Called for each listed file, whether it was written or had stayed in place. */
  put: (file: File, stats: Stats) => void
}

const nothing = Buffer.alloc(64 << 10)

const fill = (file: number, pieces: Piece[], read: Job['read']): void => {
  let at = 0
  for (const piece of pieces) {
    const bytes = read(piece)
    // A piece that holds only zeros is not written: a hole in a file takes no room.
    const isHole = bytes.equals(nothing.subarray(0, bytes.length))
    for (let written = 0; !isHole && written < bytes.length; ) {
      written += writeSync(file, bytes, written, bytes.length - written, at + written)
    }
    at += bytes.length
  }
  ftruncateSync(file, at)
}

const putFile = (
  real: Buffer,
  { mode, changed, pieces }: File,
  isThere: boolean,
  read: Job['read'],
): Stats => {
  if (isThere) chmodSync(real, 0o600)
  const file = openSync(real, isThere ? 'r' : 'wx', 0o600)
  try {
    if (!isThere) fill(file, pieces, read)
    fchmodSync(file, mode)
    futimesSync(file, changed / 1_000, changed / 1_000)
    return fstatSync(file)
  } finally {
    closeSync(file)
  }
}

const sizeOf = (pieces: Piece[]): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** Whether the present entry has the contents that were kept. */
const isSame = (real: Buffer, wanted: Listed | undefined, found: Found): boolean => {
  if (wanted?.is !== found.is) return false
  if (wanted.is === 'link') return found.is === 'link' && wanted.to === found.to
  if (wanted.is === 'folder' || found.is !== 'file') return true
  // Another name of the file may lie outside of the folder. Its permissions must not change there, so the file is
  // removed here and written again.
  if (found.names > 1 || found.size !== sizeOf(wanted.pieces)) return false
  let same = 0
  const compare = (bytes: Buffer): Piece => {
    const piece = wanted.pieces[same] as Piece
    if (piece.sha256 === sha256(bytes)) same++
    return piece
  }
  return isReadable(() => void readPieces(real, found.mode, compare)) && same === wanted.pieces.length
}

export const putBack = (root: string, listed: Listed[], { found, read, put }: Job): void => {
  const realOf = (name: string) => Buffer.concat([Buffer.from(`${root}/`), bytesOf(name)])
  const wanted = new Map(listed.map(one => [one.path, one]))
  const there = new Set<string>()
  for (const one of found) {
    if (one.is === 'folder' && (one.mode & 0o700) !== 0o700) chmodSync(realOf(one.path), 0o700)
  }
  // The contents of a folder come after it in the list, and are removed first.
  for (const one of found.toReversed()) {
    const real = realOf(one.path)
    if (isSame(real, wanted.get(one.path), one)) there.add(one.path)
    else if (one.is === 'folder') rmdirSync(real)
    else unlinkSync(real)
  }
  for (const one of listed) {
    const isThere = there.has(one.path)
    if (one.is === 'file') put(one, putFile(realOf(one.path), one, isThere, read))
    else if (isThere) continue
    else if (one.is === 'folder') mkdirSync(realOf(one.path), { mode: 0o700 })
    else symlinkSync(bytesOf(one.to), realOf(one.path))
  }
  // Permissions come last, inner folders first: a folder without write permission could not be filled.
  for (const one of listed.toReversed()) {
    if (one.is !== 'folder') continue
    utimesSync(realOf(one.path), one.changed / 1_000, one.changed / 1_000)
    chmodSync(realOf(one.path), one.mode)
  }
}
