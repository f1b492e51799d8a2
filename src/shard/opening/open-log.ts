// Opens the log of a data folder. Refuses to begin a new log when other files of the folder know of an old one.
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { eventsKnownTo } from '../../../projections/read-only.ts'
import { NotNow } from '../../contract/cannot-start.ts'
import type { Report, World } from '../../contract/ports.ts'
import { isBegun, openStore } from '../../log/chosen-storage.ts'
import { openLog } from '../../log/log.ts'
import { reportingFailures } from '../../log/reported-failures.ts'
import type { Store } from '../../log/store.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { filesOf } from '../../platform/files/data-folder.ts'
import { build } from '../../platform/version.ts'
import { lastSizeIn } from '../../proof/anchors.ts'

type Deps = {
  world: World
  files: ReturnType<typeof filesOf>
  metrics: Metrics['log']
  /** Where the events are stored. Absent: in the file of the data folder. */
  store?: Store | undefined
  report: Report
}

/**
 * What shows that a data folder had a log, which is gone: the names of files that are made after the log, and how many
 * events one of them knows. Undefined: there is a log, or there never was one.
 */
export type LostLog = { names: string[]; events: number }

const isFilled = (place: string): boolean => {
  const found = statSync(place, { throwIfNoEntry: false })
  return found?.isDirectory() ? readdirSync(place).length > 0 : (found?.size ?? 0) > 0
}

export const lostLogOf = (files: Deps['files']): LostLog | undefined => {
  if (isBegun(files.log)) return undefined
  const { readModels, checkpoints, tiles, secrets, auditKey, nats, telemetry, sessions } = files
  const known = [
    { file: readModels, events: eventsKnownTo(readModels) },
    { file: checkpoints, events: lastSizeIn(checkpoints) },
  ].filter(({ events }) => events > 0)
  const made = [readModels, checkpoints, tiles, secrets, auditKey, nats, telemetry, sessions]
  const places = new Set([...known.map(({ file }) => file), ...made.filter(isFilled)])
  const names = [...places].map(place => path.basename(place))
  return names.length === 0 ? undefined : { names, events: known[0]?.events ?? 0 }
}

const listed = (names: string[]): string =>
  names.length === 1 ? `${names[0]}` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** Throws NotNow: the log may be on a volume that is mounted later. Nothing was made or removed so far. */
export const mustHaveItsLog = ({ log }: Deps['files'], { names, events }: LostLog): never => {
  const [first = '', ...others] = names
  const traces =
    events > 0
      ? `${first} says that it had ${events} events`
      : `${listed(names)} show${others.length > 0 ? '' : 's'} that there was one`
  throw new NotNow(
    `${log} is missing, but ${traces}: restore it from a backup (reprise restore FILE), or mount the volume that it is on; to begin a new log beside these files: reprise serve --accept-loss`,
  )
}

/** Opens the file of the log. Throws CannotStart. */
const openFile = ({ world, files, report }: Omit<Deps, 'metrics' | 'store'>): Store => {
  const store = openStore(files.log, () => world.ids.next('log_'), [files.lock, files.secrets])
  return reportingFailures(store, report)
}

/** Opens the log of a data folder, with metrics. Throws CannotStart. */
export const openCountedLog = ({ store, ...deps }: Deps) => {
  const { clock, random } = deps.world
  const { metrics } = deps
  return metrics.log(openLog(metrics.store(store ?? openFile(deps)), { clock, random, build }))
}
