// Locks a data folder for one process. It also locks the build that this process runs, so that a later build does not
// remove its files.
import { fileURLToPath } from 'node:url'
import { lockFolder, shareFile } from '../log/lock.ts'
import { built } from '../platform/built.ts'
import { filesOf, readServerFile } from '../platform/data-folder.ts'

/** Locks the folder and returns a function that unlocks it. Throws CannotStart when another process has the lock. */
export const takeFolder = (dataDir: string): (() => void) => {
  const files = filesOf(dataDir)
  const unlock = lockFolder(files.lock, () => {
    const url = readServerFile(files.server)?.url
    const holder = url === undefined ? 'another process' : `the server at ${url}`
    return `${dataDir} is in use by ${holder}: stop it, or set another DATA_DIR`
  })
  const releaseBuild = shareFile(fileURLToPath(built('in-use.db'))) // build.mjs keeps the files of this build
  return () => {
    releaseBuild()
    unlock()
  }
}
