// Opens a data folder: locks the folder for this process, and opens the log and everything that works on it.
import { type Config, checkWorkspaceRoot, makeDataDir } from '../../config.ts'
import type { Report } from '../../contract/ports.ts'
import { checkPlaces } from '../../platform/files/data-folder.ts'
import { lockData } from './folder-lock.ts'
import { mustBeAlone } from './must-be-alone.ts'
import { openShardParts, type ShardOptions, type ShardParts } from './open-shard.ts'

/** Locks a data folder for this process, and returns the function that unlocks the folder. Throws CannotStart. */
export const holdFolder = (config: Config, idle = false): (() => void) => {
  const { keyFile, checkpointFile } = config.proof
  makeDataDir(config.dataDir, [keyFile, checkpointFile])
  if (!idle) checkWorkspaceRoot(config)
  checkPlaces(config.dataDir)
  return lockData(config.dataDir)
}

export type Folder = ShardParts & { unlock(): void }

/** Opens the data folder for this process alone. `idle`: the tasks are not resumed. Rejects with CannotStart. */
export const openFolder = async (
  config: Config,
  report: Report,
  options: ShardOptions = {},
): Promise<Folder> => {
  const unlock = holdFolder(config, options.idle)
  try {
    mustBeAlone(config.dataDir)
    return { ...(await openShardParts(config, report, options)), unlock }
  } catch (error) {
    unlock()
    throw error
  }
}
