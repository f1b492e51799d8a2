// Explains why this process may not use a file or a folder: its system user, what is forbidden, and what to do.
import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { shellWord } from '../shell-word.ts'

const { R_OK, W_OK, X_OK } = constants

/** The user of this process, for a message. */
export const ourUser = (): string => {
  const uid = process.getuid?.()
  try {
    return `the user ${userInfo().username} (${uid})`
  } catch {
    return `the user ${uid}` // the user has an id but no name
  }
}

/** Says why a file or folder may not be used in this mode; undefined when it may be used, or does not exist. */
const refusalOf = (place: string, mode: number): 'denied' | 'read-only' | undefined => {
  try {
    accessSync(place, mode)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EROFS') return 'read-only'
    return code === 'EACCES' || code === 'EPERM' ? 'denied' : undefined
  }
}

/** Says that nothing can be written at a place. */
const readOnly = (place: string): string =>
  `${place} is on a file system that is mounted read-only: mount it again with the right to write`

const statsAt = (place: string): Stats | undefined => {
  try {
    return statSync(place, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
const isThere = (place: string): boolean => statsAt(place) !== undefined
const isFolder = (place: string): boolean => statsAt(place)?.isDirectory() ?? false

/** A folder and the folders above it, the topmost first. */
export const withParents = (folder: string): string[] => {
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [...withParents(parent), folder]
}

const explained = (
  place: string,
  verb: string,
  refusal: string,
  wayOut: (uid?: number) => string,
): string => {
  if (refusal === 'read-only') return readOnly(place)
  return `${ourUser()} may not ${verb} ${place}, which belongs to the user ${statSync(place).uid}: ${wayOut(process.getuid?.())}`
}

/** What gives this user the rights on a file or folder. */
const rightsFor = (place: string, uid?: number): string =>
  statSync(place).uid === uid
    ? `give yourself the rights: chmod u+rwX ${shellWord(place)}`
    : `run reprise as that user, or change the owner: chown ${uid} ${shellWord(place)}`

/**
 * Explains what prevents this process from reading, or reading and writing, a file or folder; undefined when nothing
 * prevents it. When the file or folder does not exist yet, explains why it cannot be made.
 */
export const forbiddenAt = (place: string, use: 'read' | 'write' = 'write'): string | undefined => {
  const full = path.resolve(place)
  for (const folder of withParents(path.dirname(full))) {
    if (!isFolder(folder)) break // it is missing, or is a file, which nobody may enter
    const refusal = refusalOf(folder, X_OK)
    if (refusal) {
      return explained(
        folder,
        'enter',
        refusal,
        () => `run reprise as that user, or let others pass through: chmod a+x ${shellWord(folder)}`,
      )
    }
  }
  if (isThere(full)) {
    const folder = isFolder(full)
    const refusal = refusalOf(full, R_OK | (use === 'write' ? W_OK : 0) | (folder ? X_OK : 0))
    const verb = use === 'read' ? 'read' : folder ? 'write in' : 'write'
    return refusal && explained(full, verb, refusal, uid => rightsFor(full, uid))
  }
  const above = withParents(path.dirname(full)).findLast(isThere) ?? full
  const refusal = use === 'write' && isFolder(above) ? refusalOf(above, W_OK | X_OK) : undefined
  const install = (uid?: number) => `let root make the folder: install -d -m 700 -o ${uid} ${shellWord(full)}`
  return refusal && explained(above, 'write in', refusal, install)
}
