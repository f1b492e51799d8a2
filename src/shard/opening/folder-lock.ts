// Locks a data folder for one process.

import { filesOf, readServerFile, removeServerFile } from '../../platform/files/data-folder.ts'
import { lockFolder } from '../../platform/sqlite/lock-file.ts'

/**
 * Locks the folder, so that no server can run on it, and returns a function that unlocks it. Throws CannotStart when
 * another process has the lock. A killed server has left the file with its address: it is removed, since a command that
 * finds the folder locked sends the admin token to the address in this file.
 */
export const lockData = (dataDir: string): (() => void) => {
  const files = filesOf(dataDir)
  const unlock = lockFolder(files.lock, () => {
    const url = readServerFile(files.server)?.url
    const holder = url === undefined ? 'another process' : `the server at ${url}`
    return `${dataDir} is in use by ${holder}: stop it, or set another DATA_DIR`
  })
  removeServerFile(files.server)
  return unlock
}
