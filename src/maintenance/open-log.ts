// Opens the log of a data folder. Refuses to begin a new log when other files of the folder know of an old one.
import path from 'node:path'
import { eventsKnownTo } from '../../projections/read-only.ts'
import { CannotStart } from '../contract/cannot-start.ts'
import type { Report, World } from '../contract/ports.ts'
import { openLog } from '../log/log.ts'
import { reportingFailures } from '../log/reported-failures.ts'
import { isBegun } from '../log/sqlite-checks.ts'
import { sqliteStore } from '../log/sqlite-store.ts'
import type { Store } from '../log/store.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { filesOf } from '../platform/data-folder.ts'
import { build } from '../platform/version.ts'
import { lastSizeIn } from '../proof/anchors.ts'

type Deps = {
  world: World
  files: ReturnType<typeof filesOf>
  metrics: Metrics['log']
  /** Whether to begin a new log even if other files show that there was a log with events, which is gone. */
  acceptLoss: boolean
  /** Where the events are stored. Absent: in the file of the data folder. */
  store?: Store | undefined
  report: Report
}

/** The files that know how many events the log of a data folder had, each with the number that it knows. */
const knowing = ({ readModels, checkpoints }: Deps['files']): [file: string, events: number][] => [
  [readModels, eventsKnownTo(readModels)],
  [checkpoints, lastSizeIn(checkpoints)],
]

/** Opens the file of the log. Throws CannotStart. */
const openFile = ({ world, files, acceptLoss, report }: Omit<Deps, 'metrics' | 'store'>): Store => {
  const [known] = isBegun(files.log) || acceptLoss ? [] : knowing(files).filter(([, events]) => events > 0)
  if (known !== undefined) {
    const [name, events] = [path.basename(known[0]), known[1]]
    throw new CannotStart(
      `${files.log} is missing, but ${name} says that it had ${events} events: restore it from a backup, or remove ${name} to begin a new log`,
    )
  }
  const store = sqliteStore(files.log, () => world.ids.next('log_'), [files.lock, files.secrets])
  return reportingFailures(store, report)
}

/** Opens the log of a data folder, with metrics. Throws CannotStart. */
export const openCountedLog = ({ store, ...deps }: Deps) => {
  const { clock, random } = deps.world
  const { metrics } = deps
  return metrics.log(openLog(metrics.store(store ?? openFile(deps)), { clock, random, build }))
}
