// A workspace as one value, and back: folders and regular files with their permissions. Times are not kept.
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pack, unpack } from '../shared/packed.ts'
import { bytesOf } from './files.ts'
import { unlessFile, writable } from './inside.ts'
import { walk } from './walk.ts'

type Kept = {
  path: string
  mode: number
  /** Absent: a folder. */
  base64?: string
}

const mostBytes = 32 << 20

/** Throws when there is a link, a pipe or a device, or more than a snapshot holds. */
export const snapshotOf = (root: string, mostEntries = 10_000): string => {
  const kept: Kept[] = []
  let bytes = 0
  for (const { path: name, real, stats } of walk(root)) {
    const mode = stats.mode & 0o777
    if (kept.length === mostEntries) throw new Error(`A snapshot may have ${mostEntries} files and folders`)
    if (stats.isDirectory()) {
      kept.push({ path: name, mode })
      continue
    }
    unlessFile(stats, name)
    bytes += stats.size
    if (bytes > mostBytes) throw new Error(`A snapshot may have ${mostBytes >> 20} MiB of files`)
    kept.push({ path: name, mode, base64: bytesOf(real, name, mostBytes).toString('base64') })
  }
  return pack(Buffer.from(JSON.stringify(kept)))
}

/** Opens folders that may not be entered, so that they can be removed. A name may be no UTF-8. */
const open = (folder: Buffer): void => {
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
    if (entry.isDirectory()) open(Buffer.concat([folder, Buffer.from(path.sep), entry.name]))
  }
}

/** Makes the folder anew. */
export const empty = (root: string): void => {
  if (lstatSync(root, { throwIfNoEntry: false })?.isDirectory()) open(Buffer.from(root))
  rmSync(root, { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
}

export const restoreTo = (root: string, packed: string): void => {
  const kept = JSON.parse(`${unpack(packed, 2 * mostBytes)}`) as Kept[]
  empty(root)
  for (const { path: name, mode, base64 } of kept) {
    const real = writable(root, name)
    if (base64 === undefined) mkdirSync(real)
    else writeFileSync(real, Buffer.from(base64, 'base64'), { flag: 'wx', mode })
  }
  // Last, and inner folders first: one that may not be written could not be filled. The mask of the process is undone.
  for (const { path: name, mode } of kept.reverse()) {
    const real = path.join(root, name)
    if ((lstatSync(real).mode & 0o777) !== mode) chmodSync(real, mode)
  }
}
