// Opens the log of a data folder, unless the log is gone and other files of the folder know its events.
import path from 'node:path'
import { eventsKnownTo } from '../../projections/read-only.ts'
import { CannotStart } from '../contract/cannot-start.ts'
import type { World } from '../contract/ports.ts'
import { openLog } from '../log/log.ts'
import { isBegun } from '../log/sqlite-checks.ts'
import { sqliteStore } from '../log/sqlite-store.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { filesOf } from '../platform/data-folder.ts'
import { build } from '../platform/version.ts'
import { lastSizeIn } from '../proof/anchors.ts'

type Deps = {
  world: World
  files: ReturnType<typeof filesOf>
  metrics: Metrics['log']
  /** Whether a new log begins when other files know events of a log that is gone. */
  acceptLoss: boolean
}

/** The files of a data folder that know how many events its log had, each with that number. */
const knowing = ({ readModels, checkpoints }: Deps['files']): [file: string, events: number][] => [
  [readModels, eventsKnownTo(readModels)],
  [checkpoints, lastSizeIn(checkpoints)],
]

/** Opens the log of a data folder, with metrics. Throws CannotStart. */
export const openCountedLog = ({ world, files, metrics, acceptLoss }: Deps) => {
  const [known] = isBegun(files.log) || acceptLoss ? [] : knowing(files).filter(([, events]) => events > 0)
  if (known !== undefined) {
    const [name, events] = [path.basename(known[0]), known[1]]
    throw new CannotStart(
      `${files.log} is gone, and ${name} knows ${events} events of it: restore it from a backup, or remove ${name} to begin a new log`,
    )
  }
  const { clock, random, ids } = world
  const store = metrics.store(sqliteStore(files.log, () => ids.next('log_'), [files.lock, files.secrets]))
  return metrics.log(openLog(store, { clock, random, build }))
}
