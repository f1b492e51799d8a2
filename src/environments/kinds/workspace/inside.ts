// Keeps the file tools inside of one folder: a path is judged by where it really leads. Nothing else runs in the folder
// during a call of a file tool, so the judgement stays true until the path is used: the sandbox ends every process of a
// command, and without a sandbox a command can reach every file anyway.
import { constants, type Dirent, lstatSync, mkdirSync, openSync, realpathSync, type Stats } from 'node:fs'
import path from 'node:path'
import { home } from '../../sandbox.ts'

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

/** A path as the caller wrote it, short enough for a sentence. */
export const named = (given: string): string => (given.length > 200 ? `${given.slice(0, 200)}…` : given)

/** Runs a job, and describes errors of the system in words that never contain a path of the machine. */
export const namingPath = <Answer>(given: string, job: () => Answer): Answer => {
  try {
    return job()
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (typeof code !== 'string') throw error // our own code has thrown it, with a text for the caller
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

/** Resolves the existing part of a path to its real path; the missing names are appended unchanged. */
const realPartOf = (at: string): string => {
  const missing: string[] = []
  let there = at
  while (!isThere(there)) {
    missing.unshift(path.basename(there))
    there = path.dirname(there)
  }
  return path.join(realpathSync(there), ...missing)
}

/** The real path of an existing file or folder. Throws if it does not exist or leads outside. */
export const existing = (root: string, given: string): string => {
  const at = wanted(root, given)
  // Nothing outside is revealed, not even whether it exists.
  unlessInside(root, realPartOf(at), given)
  return realpathSync(at)
}

/** The real path of a file to be written; creates its folders. Throws if it is no regular file or leads outside. */
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

/** Opens a regular file for reading. It never opens a device, and never waits for the writer of a pipe. */
export const openFile = (real: string, given: string): number => {
  unlessFile(lstatSync(real), given) // opening a device can already have an effect
  return openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY)
}
