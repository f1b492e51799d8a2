// A data folder belongs to one process at a time, and the build that this process runs stays as it is meanwhile.
import { fileURLToPath } from 'node:url'
import { lockFolder, shareFile } from '../log/lock.ts'
import { built } from '../platform/built.ts'
import { filesOf, readServerFile } from '../platform/data-folder.ts'

/** Throws CannotStart when another process has the folder; the answer lets go of it. */
export const takeFolder = (dataDir: string): (() => void) => {
  const files = filesOf(dataDir)
  const unlock = lockFolder(files.lock, () => {
    const url = readServerFile(files.server)?.url
    const who = url === undefined ? 'another process' : `the server at ${url}`
    return `${dataDir} is in use by ${who}: stop it, or set another DATA_DIR`
  })
  const letGoOfBuild = shareFile(fileURLToPath(built('in-use.db'))) // build.mjs leaves its files alone
  return () => {
    letGoOfBuild()
    unlock()
  }
}
