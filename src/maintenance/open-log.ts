// Opens the log of a data folder, unless read.db knows events that are not in it.
import { eventsKnownTo } from '../../projections/read-only.ts'
import { CannotStart } from '../contract/cannot-start.ts'
import type { World } from '../contract/ports.ts'
import { openLog } from '../log/log.ts'
import { isBegun } from '../log/sqlite-checks.ts'
import { sqliteStore } from '../log/sqlite-store.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { filesOf } from '../platform/data-folder.ts'
import { build } from '../platform/version.ts'

type Deps = {
  world: World
  files: ReturnType<typeof filesOf>
  metrics: Metrics['log']
  /** Whether a new log begins when read.db has events of a log that is gone. */
  acceptLoss: boolean
}

/** Opens the log of a data folder, with metrics. Throws CannotStart. */
export const openCountedLog = ({ world, files, metrics, acceptLoss }: Deps) => {
  const known = isBegun(files.log) ? 0 : eventsKnownTo(files.readModels)
  if (known > 0 && !acceptLoss) {
    throw new CannotStart(
      `${files.log} is gone, and read.db knows ${known} events of it: restore it from a backup, or remove read.db to begin a new log`,
    )
  }
  const { clock, random, ids } = world
  const store = metrics.store(sqliteStore(files.log, () => ids.next('log_'), [files.lock, files.secrets]))
  return metrics.log(openLog(store, { clock, random, build }))
}
