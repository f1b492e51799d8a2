// Opens the log of a data folder for reading, for a command.
import type { Config } from '../../config.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { isThere } from '../../log/chosen-storage.ts'
import { openLogReadOnly, type ReadOnlyLog } from '../../log/read-only.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { forbiddenAt } from '../../platform/files/permission.ts'
import { called } from '../terminal/called.ts'

/**
 * Throws CannotStart if there is no log that can be read, so that a mistyped DATA_DIR neither creates a folder nor
 * gives an empty answer.
 */
export const mustHaveLog = ({ dataDir }: Config): void => {
  const { log } = filesOf(dataDir)
  const forbidden = forbiddenAt(log, 'read')
  if (forbidden !== undefined) throw new CannotStart(`${log} cannot be read: ${forbidden}`)
  if (isThere(log)) return
  throw new CannotStart(
    `no log here: ${dataDir} has no log.db. Set DATA_DIR to the data folder of a server, or start one: ${called} serve`,
  )
}

/** Opens the log for reading, whether a server runs or not. Throws CannotStart if there is no log. */
export const openLogOf = (config: Config): ReadOnlyLog => {
  mustHaveLog(config)
  return openLogReadOnly(filesOf(config.dataDir).log)
}
