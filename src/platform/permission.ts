// Explains why this process may not use a file or a folder: its system user, what is forbidden, and what to do.
import { accessSync, constants, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'

const { R_OK, W_OK, X_OK } = constants

const ourUser = (): string => {
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

const isThere = (place: string): boolean => {
  try {
    return statSync(place, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** A folder and the folders above it, the topmost first. */
const withParents = (folder: string): string[] => {
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [...withParents(parent), folder]
}

const explained = (
  place: string,
  verb: string,
  refusal: string,
  wayOut: (uid?: number) => string,
): string => {
  if (refusal === 'read-only') return `${place} is on a file system that is mounted read-only`
  return `${ourUser()} may not ${verb} ${place}, which belongs to the user ${statSync(place).uid}: ${wayOut(process.getuid?.())}`
}

/**
 * Explains what prevents this process from reading, or reading and writing, a file or folder; undefined when nothing
 * prevents it. When the file or folder does not exist yet, explains why it cannot be made.
 */
export const forbiddenAt = (place: string, use: 'read' | 'write' = 'write'): string | undefined => {
  const full = path.resolve(place)
  for (const folder of withParents(path.dirname(full))) {
    if (!isThere(folder)) break
    const refusal = refusalOf(folder, X_OK)
    if (refusal) {
      return explained(
        folder,
        'enter',
        refusal,
        () => `run reprise as that user, or let it enter (chmod a+x)`,
      )
    }
  }
  if (isThere(full)) {
    const isFolder = statSync(full).isDirectory()
    const refusal = refusalOf(full, R_OK | (use === 'write' ? W_OK : 0) | (isFolder ? X_OK : 0))
    const verb = use === 'read' ? 'read' : isFolder ? 'write in' : 'write'
    const chown = (uid?: number) => `run reprise as that user, or change the owner: chown ${uid} ${full}`
    return refusal && explained(full, verb, refusal, chown)
  }
  const above = withParents(path.dirname(full)).findLast(isThere) ?? full
  const refusal = use === 'write' ? refusalOf(above, W_OK | X_OK) : undefined
  const install = (uid?: number) => `let root make the folder: install -d -m 700 -o ${uid} ${full}`
  return refusal && explained(above, 'write in', refusal, install)
}
