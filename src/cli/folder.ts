// The data folder, from the command line: its log to read, or the whole of it held.
import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { CannotStart } from '../contract/cannot-start.ts'
import { filesOf, readServerFile } from '../data-folder.ts'
import { lockFolder } from '../log/lock.ts'
import { openLogReadOnly, type ReadOnlyLog } from '../log/read-only.ts'

/** Beside a server or without one. Throws CannotStart. */
export const openLogOf = ({ dataDir }: Config): ReadOnlyLog => {
  const { log } = filesOf(dataDir)
  if (!existsSync(log)) throw new CannotStart(`there is no log in ${dataDir}: set DATA_DIR to where one is`)
  return openLogReadOnly(log)
}

/** Holds the folder until the answer is called, so that no server runs on it. Throws CannotStart. */
export const holdFolder = ({ dataDir }: Config): (() => void) => {
  const files = filesOf(dataDir)
  return lockFolder(files.lock, () => {
    const url = readServerFile(files.server)?.url
    const who = url === undefined ? 'another process' : `the server at ${url}`
    return `${dataDir} is in use by ${who}: stop it first, or set another DATA_DIR`
  })
}
