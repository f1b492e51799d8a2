// Handles a log with fewer events than clients have seen, because the log was cut or comes from a backup. The operator
// must accept the loss before the log continues. Then an event LogResumed says where the log continues.
import { existsSync } from 'node:fs'
import { eventsKnownTo } from '../../../projections/read-only.ts'
import { openReadStore } from '../../../projections/store.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { type LogResumed, logStream } from '../../contract/events/log-events.ts'
import type { Report } from '../../contract/ports.ts'
import { saveCheckpoint, savedCheckpoint } from '../../log/follower/checkpoint.ts'
import type { EventLog } from '../../log/log.ts'
import { openLogReadOnly } from '../../log/read-only.ts'
import { record } from '../../log/record.ts'
import { filesOf } from '../../platform/files/data-folder.ts'

export type Known = { position: number; by: string }

/**
 * The largest number of events of this log that a file beside the log knows, and the name of this file. The read models
 * always count, since they do not name their log. `anchor`: the number that the newest checkpoint of this log has.
 */
const knownBeside = (dataDir: string, logId: string, anchor: Known): Known => {
  const files = filesOf(dataDir)
  const saved = [files.nats, files.telemetry].map(file => ({ file, saved: savedCheckpoint(file) }))
  const known = [
    { position: eventsKnownTo(files.readModels), by: 'read.db' },
    anchor,
    ...saved
      .filter(({ saved }) => saved?.log === logId)
      .map(({ file, saved }) => ({
        position: saved?.position ?? 0,
        by: file === files.nats ? 'nats.json' : 'otel.json',
      })),
  ]
  return known.reduce((max, next) => (next.position > max.position ? next : max))
}

/** The number of events of this log that the data folder knows. The log that a backup will replace counts, too. */
export const knownIn = async (dataDir: string, logId: string, anchor: Known): Promise<number> => {
  const { position } = knownBeside(dataDir, logId, anchor)
  const { log: file } = filesOf(dataDir)
  if (!existsSync(file)) return position
  try {
    const log = openLogReadOnly(file)
    const [id, head] = [log.id, log.head()]
    await log.close()
    return id === logId ? Math.max(position, head) : 0 // the read models belong to that other log
  } catch {
    return position // the old log is damaged, which may be the reason for the restore
  }
}

/** Appends the event that says that the log continues here. `known`: how many events clients may have seen. */
export const resume = async (log: EventLog, known: number, reason: LogResumed['reason']): Promise<void> => {
  const data: LogResumed = { old_head: known > log.head() ? known : null, reason }
  const by = { principal: 'system', causation: 'command line' }
  await record(log, logStream, [{ type: 'LogResumed', data }], by)
}

/**
 * Resolves to false when the log has all events that the files beside it know. Otherwise rejects with CannotStart. But
 * if `acceptLoss` is true, lets the log continue without the lost events, adjusts the files to the log, and resolves to
 * true.
 */
export const acceptShorterLog = async (
  dataDir: string,
  log: EventLog,
  { acceptLoss, anchor, report }: { acceptLoss: boolean; anchor: Known; report: Report },
): Promise<boolean> => {
  const { position, by } = knownBeside(dataDir, log.id, anchor)
  const head = log.head()
  if (position <= head) return false
  const files = filesOf(dataDir)
  if (!acceptLoss) {
    throw new CannotStart(
      `${files.log} has ${head} events, and ${by} knows ${position}: the missing events were acknowledged and are lost; put a backup in place of the log (reprise restore FILE --force), or go on without these events (reprise serve --accept-loss)`,
    )
  }
  await resume(log, position, 'loss_accepted')
  await openReadStore(files.readModels, true).close()
  for (const file of [files.nats, files.telemetry]) {
    const saved = savedCheckpoint(file)
    if (saved?.log === log.id && saved.position > head) await saveCheckpoint(file, log, log.head())
  }
  report(
    'warn',
    `the log goes on from ${head}: events up to ${position} were lost, as the option --accept-loss allows`,
  )
  return true
}

/** Marks a new log that takes the place of one that is gone, unless it is marked already. */
export const acceptNewLog = async (
  log: EventLog,
  lost: { events: number },
  report: Report,
): Promise<void> => {
  if (log.revisionOf(logStream) < 0) await resume(log, lost.events, 'loss_accepted')
  report('warn', 'a new log takes the place of one that is gone, as the option --accept-loss allows')
}
