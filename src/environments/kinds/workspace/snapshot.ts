// Keeps a workspace and restores it: folders, regular files and links, with permissions and modification times.
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Found, findBelow } from '../shared/kept/found.ts'
import type { Keeping, Kept, Reference } from '../shared/kept/kept.ts'
import { unpack } from '../shared/packed.ts'
import { writable } from './inside.ts'

type Packed = {
  path: string
  mode: number
  /** Absent for a folder. */
  base64?: string
}

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

/** Restores a state of an earlier version, which has all files in one text. */
export const restorePacked = (root: string, packed: string): void => {
  const files = JSON.parse(`${unpack(packed, 64 << 20)}`) as Packed[]
  empty(root)
  for (const { path: name, mode, base64 } of files) {
    const real = writable(root, name)
    if (base64 === undefined) mkdirSync(real)
    else writeFileSync(real, Buffer.from(base64, 'base64'), { flag: 'wx', mode })
  }
  // Permissions come last, inner folders first: a folder without write permission could not be filled. chmod is needed,
  // since the umask of the process applies to new files.
  for (const { path: name, mode } of files.reverse()) {
    const real = path.join(root, name)
    if ((lstatSync(real).mode & 0o777) !== mode) chmodSync(real, mode)
  }
}
