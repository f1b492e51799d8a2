// Keeps a workspace: folders, regular files and links, with permissions and modification times.
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { type Found, findBelow } from '../shared/kept/found.ts'
import type { Keeping, Kept, Reference } from '../shared/kept/kept.ts'

/** A workspace is kept only if it has at most this many files and folders, and this many bytes in files. */
export type Limits = { entries: number; bytes: number }
export const limits: Limits = { entries: 200_000, bytes: 1 << 30 }

const gibibytes = (bytes: number): string => `${Number((bytes / 2 ** 30).toFixed(3))} GiB`
const tooMuch = (what: string): never => {
  throw new Error(`the workspace has more than ${what}, which is the most that is kept`)
}

/** Keeps all contents of the folder. Throws if they exceed the limits. */
export const keep = (kept: Kept, root: string, keeping: Keeping, max: Limits = limits): Reference => {
  const found: Found[] = []
  let bytes = 0
  const { all, close } = findBelow(root)
  try {
    for (const one of all()) {
      if (found.push(one) > max.entries) tooMuch(`${max.entries} files and folders`)
      if (one.is === 'file') bytes += one.size
      if (bytes > max.bytes) tooMuch(`${gibibytes(max.bytes)} of files`)
    }
    return kept.keep(root, found, keeping)
  } finally {
    close()
  }
}

/** Adds permissions to folders, so that their contents can be removed. Names are bytes, for not all are valid UTF-8. */
const open = (folder: Buffer): void => {
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
    if (entry.isDirectory()) open(Buffer.concat([folder, Buffer.from(path.sep), entry.name]))
  }
}

/** Removes the contents of the folder; creates it if it is missing. */
export const empty = (root: string): void => {
  if (lstatSync(root, { throwIfNoEntry: false })?.isDirectory()) open(Buffer.from(root))
  rmSync(root, { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
}
