// A log that has fewer events than others have heard of: it was cut, or it is a backup. It goes on when somebody says so,
// and keeps the fact.
import { existsSync } from 'node:fs'
import { eventsKnownTo } from '../../projections/read-only.ts'
import { openReadStore } from '../../projections/store.ts'
import { CannotStart } from '../contract/cannot-start.ts'
import { type LogResumed, logStream } from '../contract/log-events.ts'
import type { Report } from '../contract/ports.ts'
import { saveCheckpoint, savedCheckpoint } from '../log/checkpoint.ts'
import type { EventLog } from '../log/log.ts'
import { openLogReadOnly } from '../log/read-only.ts'
import { filesOf } from '../platform/data-folder.ts'

type Known = { position: number; by: string }

/** How many events of the log with this id the files beside it know; those of the read models name no log. */
const knownBeside = (dataDir: string, logId: string): Known => {
  const files = filesOf(dataDir)
  const saved = [files.nats, files.telemetry].map(file => ({ file, saved: savedCheckpoint(file) }))
  const known = [
    { position: eventsKnownTo(files.readModels), by: 'read.db' },
    ...saved
      .filter(({ saved }) => saved?.log === logId)
      .map(({ file, saved }) => ({
        position: saved?.position ?? 0,
        by: file === files.nats ? 'nats.json' : 'otel.json',
      })),
  ]
  return known.reduce((most, next) => (next.position > most.position ? next : most))
}

/** The same, with the log itself that a backup replaces. */
export const knownIn = async (dataDir: string, logId: string): Promise<number> => {
  const { position } = knownBeside(dataDir, logId)
  const { log: file } = filesOf(dataDir)
  if (!existsSync(file)) return position
  try {
    const log = openLogReadOnly(file)
    const [id, head] = [log.id, log.head()]
    await log.close()
    return id === logId ? Math.max(position, head) : 0 // the read models are of that other log
  } catch {
    return position // it is damaged, which may be why it is replaced
  }
}

/** Stores that the log goes on from where it is; `known`: how many events others have heard of. */
export const resume = async (log: EventLog, known: number, reason: LogResumed['reason']): Promise<void> => {
  const data: LogResumed = { old_head: known > log.head() ? known : null, reason }
  await log.append([
    {
      stream: logStream,
      expectedRevision: log.revisionOf(logStream),
      principal: 'system',
      owner: '',
      session_id: '',
      correlation_id: logStream,
      causation_id: 'command line',
      events: [{ type: 'LogResumed', schema_version: 1, data }],
    },
  ])
}

/** A log that lacks events which others have heard of is gone on with only when that was asked for. */
export const goOnShorter = async (
  dataDir: string,
  log: EventLog,
  acceptLoss: boolean,
  report: Report,
): Promise<void> => {
  const { position, by } = knownBeside(dataDir, log.id)
  const head = log.head()
  if (position <= head) return
  const files = filesOf(dataDir)
  if (!acceptLoss) {
    throw new CannotStart(
      `${files.log} has ${head} events, and ${by} knows ${position}: the others were acknowledged and are lost; put a backup in its place (reprise restore FILE --force), or go on without them (reprise serve --accept-loss)`,
    )
  }
  await resume(log, position, 'loss_accepted')
  openReadStore(files.readModels, true).close()
  for (const file of [files.nats, files.telemetry]) {
    const saved = savedCheckpoint(file)
    if (saved?.log === log.id && saved.position > head) await saveCheckpoint(file, log, log.head())
  }
  report('warn', `the log goes on from ${head}: events up to ${position} were lost, and that was accepted`)
}
