// Makes a folder of the server. Folders above it that are missing get a mode with which other users can pass through
// them, whatever the umask is: programs of environments have user ids of their own, and must reach their folders.
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'

export const isFolder = (at: string): boolean =>
  statSync(at, { throwIfNoEntry: false })?.isDirectory() ?? false

const make = (folder: string, mode: number): void => {
  if (isFolder(folder)) return
  make(path.dirname(folder), 0o711)
  try {
    mkdirSync(folder, { mode })
    chmodSync(folder, mode) // the umask may have removed what the mode allows
  } catch (error) {
    if (!isFolder(folder)) throw error // otherwise another process has made the folder
  }
}

/**
 * Makes the folder for this user alone, unless it is there, and the folders above it. Makes one folder at a time: with
 * the option `recursive`, mkdir never returns when the system always says that the parent of a folder is missing, as in
 * /proc. Throws errors of the system.
 */
export const makeOwnFolder = (folder: string): void => make(path.resolve(folder), 0o700)
