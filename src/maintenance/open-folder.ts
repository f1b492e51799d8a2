// Opens a data folder: this process takes it for itself, and opens the shard that it holds.
import { type Config, checkWorkspaceRoot, makeDataDir } from '../config.ts'
import type { Report } from '../contract/ports.ts'
import { checkPlaces } from '../platform/data-folder.ts'
import { takeFolder } from './folder-lock.ts'
import { mustBeAlone } from './must-be-alone.ts'
import { openShard, type Shard, type ShardOptions } from './open-shard.ts'

/** Takes a data folder for this process alone. Returns what gives it back. Throws CannotStart. */
export const holdFolder = (config: Config, idle = false): (() => void) => {
  makeDataDir(config.dataDir)
  if (!idle) checkWorkspaceRoot(config)
  checkPlaces(config.dataDir)
  return takeFolder(config.dataDir)
}

export type Folder = Shard & { unlock(): void }

/** Opens the data folder for this process alone. `idle`: its tasks are not resumed. Rejects with CannotStart. */
export const openFolder = async (
  config: Config,
  report: Report,
  options: ShardOptions = {},
): Promise<Folder> => {
  const unlock = holdFolder(config, options.idle)
  try {
    mustBeAlone(config.dataDir)
    return { ...(await openShard(config, report, options)), unlock }
  } catch (error) {
    unlock()
    throw error
  }
}
