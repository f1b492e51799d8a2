// Makes files, folders and links again as they were listed, in a folder that is empty.
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  mkdirSync,
  openSync,
  type Stats,
  symlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { bytesOf } from './found.ts'
import type { Listed } from './listing.ts'
import type { Piece } from './packs.ts'

const nothing = Buffer.alloc(64 << 10)

const putFile = (
  real: Buffer,
  { mode, changed, pieces }: Listed & { is: 'file' },
  read: (piece: Piece) => Buffer,
): Stats => {
  const file = openSync(real, 'wx', 0o600)
  try {
    let at = 0
    for (const piece of pieces) {
      const bytes = read(piece)
      // Where there is nothing but zeros, nothing is written: a hole takes no room.
      const isHole = bytes.equals(nothing.subarray(0, bytes.length))
      for (let written = 0; !isHole && written < bytes.length; ) {
        written += writeSync(file, bytes, written, bytes.length - written, at + written)
      }
      at += bytes.length
    }
    ftruncateSync(file, at)
    fchmodSync(file, mode)
    futimesSync(file, changed / 1_000, changed / 1_000)
    return fstatSync(file)
  } finally {
    closeSync(file)
  }
}

type Job = { read: (piece: Piece) => Buffer; put: (file: Listed & { is: 'file' }, stats: Stats) => void }

/** `put` hears of each file that is there again. */
export const putBack = (root: string, listed: Listed[], { read, put }: Job): void => {
  const realOf = (name: string) => Buffer.concat([Buffer.from(`${root}/`), bytesOf(name)])
  for (const one of listed) {
    if (one.is === 'folder') mkdirSync(realOf(one.path), { mode: 0o700 })
    else if (one.is === 'link') symlinkSync(bytesOf(one.to), realOf(one.path))
    else put(one, putFile(realOf(one.path), one, read))
  }
  // Last, and inner folders first: one that may not be written could not be filled.
  for (const one of [...listed].reverse()) {
    if (one.is !== 'folder') continue
    utimesSync(realOf(one.path), one.changed / 1_000, one.changed / 1_000)
    chmodSync(realOf(one.path), one.mode)
  }
}
