// Describes errors of the system about files, in words that help a model, and never with a path of this machine.
import type { Stats } from 'node:fs'

const reasons: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist: a part of its path is not a folder',
  EISDIR: 'is a folder, not a file',
  EEXIST: 'was made by somebody else at the same time; try again',
  ELOOP: 'is a symbolic link that cannot be followed',
  ENXIO: 'is not a regular file',
  ENAMETOOLONG: 'is too long for a name',
  EACCES: 'may not be used: permission denied',
  EPERM: 'may not be used: permission denied',
  EROFS: 'cannot be written: the file system is read-only',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the disk is full',
}

/** A path as the caller wrote it, short enough for a sentence. */
export const named = (given: string): string => (given.length > 200 ? `${given.slice(0, 200)}…` : given)

/** Runs a job on a path. An error of the system becomes one that names the path as the caller wrote it. */
export const namingPath = async <Answer>(given: string, job: () => Promise<Answer>): Promise<Answer> => {
  try {
    return await job()
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (typeof code !== 'string') throw error // our own code has thrown it, with a text for the caller
    throw new Error(`${named(given)} ${reasons[code] ?? `cannot be used (${code})`}`)
  }
}

const kindOf = (stats: Stats): string => {
  if (stats.isDirectory()) return 'a folder'
  if (stats.isSymbolicLink()) return 'a symbolic link'
  if (stats.isFIFO()) return 'a named pipe'
  return stats.isSocket() ? 'a socket' : 'a device'
}

export const unlessFile = (stats: Stats, given: string): void => {
  if (!stats.isFile()) throw new Error(`${named(given)} is ${kindOf(stats)}, not a regular file`)
}
