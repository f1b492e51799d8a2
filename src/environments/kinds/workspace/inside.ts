// Keeps the file tools inside of one folder: a path is judged by where it really leads. Nothing else runs in the
// folder while a file tool does, so what was judged is still there when it is used: the sandbox ends a command with
// all that it started, and without a sandbox a command reaches every file anyway.
import { constants, type Dirent, lstatSync, mkdirSync, openSync, realpathSync, type Stats } from 'node:fs'
import path from 'node:path'
import { home } from '../../wall.ts'

const reasons: Record<string, string | undefined> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist: a part of its path is not a folder',
  EEXIST: 'cannot be made: there is something else',
  EISDIR: 'is a folder, not a file',
  ELOOP: 'is a symbolic link that cannot be followed',
  ENAMETOOLONG: 'is too long for a name',
  EACCES: 'may not be used: permission denied',
  EPERM: 'may not be used: permission denied',
  ENOSPC: 'cannot be written: the disk is full',
}

/** A path as it was given, short enough to be part of a sentence. */
export const named = (given: string): string => (given.length > 200 ? `${given.slice(0, 200)}…` : given)

/** What the system objects to, in words that never hold a path of the machine. */
export const telling = <Answer>(given: string, job: () => Answer): Answer => {
  try {
    return job()
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (typeof code !== 'string') throw error // ours, and in words
    throw new Error(`${named(given)} ${reasons[code] ?? `cannot be used (${code})`}`)
  }
}

const kindOf = (entry: Stats | Dirent): string => {
  if (entry.isDirectory()) return 'a folder'
  if (entry.isSymbolicLink()) return 'a symbolic link'
  if (entry.isFIFO()) return 'a named pipe'
  return entry.isSocket() ? 'a socket' : 'a device'
}
export const unlessFile = (entry: Stats | Dirent, given: string): void => {
  if (!entry.isFile()) throw new Error(`${named(given)} is ${kindOf(entry)}, not a regular file`)
}

const unlessInside = (root: string, real: string, given: string): void => {
  const below = path.relative(root, real)
  if (below === '..' || below.startsWith(`..${path.sep}`) || path.isAbsolute(below)) {
    throw new Error(`${named(given)} leads outside of the workspace`)
  }
}

const wanted = (root: string, given: string): string => {
  if (given.includes('\0')) throw new Error('A path cannot hold a NUL character')
  const isHome = given === home || given.startsWith(`${home}/`)
  const at = path.resolve(root, isHome ? `.${given.slice(home.length)}` : given)
  unlessInside(root, at, given)
  return at
}

const isThere = (at: string): boolean => lstatSync(at, { throwIfNoEntry: false }) !== undefined

/** Where a path really leads, as far as there is something; the names that are missing stay as they are. */
const realPartOf = (at: string): string => {
  const missing: string[] = []
  let there = at
  while (!isThere(there)) {
    missing.unshift(path.basename(there))
    there = path.dirname(there)
  }
  return path.join(realpathSync(there), ...missing)
}

/** The real path of something that exists. Throws when it does not, or leads outside. */
export const existing = (root: string, given: string): string => {
  const at = wanted(root, given)
  // What is outside is not told of, not even whether it exists.
  unlessInside(root, realPartOf(at), given)
  return realpathSync(at)
}

/** The real path of a file to be written, its folders made. Throws when it is something else, or leads outside. */
export const writable = (root: string, given: string): string => {
  const at = wanted(root, given)
  if (at === root) throw new Error(`${named(given)} is a folder, not a file`)
  unlessInside(root, realPartOf(at), given)
  const there = lstatSync(at, { throwIfNoEntry: false })
  if (there !== undefined) unlessFile(there, given)
  const folder = realPartOf(path.dirname(at))
  unlessInside(root, folder, given)
  mkdirSync(folder, { recursive: true })
  return path.join(folder, path.basename(at))
}

/** Opens a regular file for reading: never a device, never waiting for the other end of a pipe. */
export const openFile = (real: string, given: string): number => {
  unlessFile(lstatSync(real), given) // to open a device can already do something
  return openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY)
}
