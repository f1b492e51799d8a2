// Brings events from the log to subscribers over NATS. There is one connection, which is made again whenever it ends.
// The relay sends events over the connection, and the feed receives them. No commit waits for NATS, and no subscriber
// misses an event while NATS is away.
import type { Report, Timers } from '../../contract/ports.ts'
import type { Recorded } from '../../contract/stored.ts'
import type { EventLog } from '../../log/log.ts'
import { sleep } from '../../platform/sleep.ts'
import type { Events } from '../events.ts'
import { publishedOf } from '../published.ts'
import { type Connection, connectNats, reasonOf } from './nats.ts'
import { createNatsErasing } from './nats-erasing.ts'
import { createNatsFeed } from './nats-feed.ts'
import type { NatsSettings } from './nats-settings.ts'
import { allSubjects, checkpointSubject } from './nats-subject.ts'
import { createRelay } from './relay.ts'

/** Tells the operator each change of the connection to NATS, and each kind of refusal once. */
const createNatsReports = (report: Report, servers: string) => {
  let state: 'new' | 'here' | 'away' = 'new'
  const refusals = new Set<string>()
  return {
    connected(server: string): void {
      report(state === 'new' ? 'info' : 'warn', 'NATS is connected', { server })
      state = 'here'
    },
    /** `isExpected`: the server is stopping, so there is nothing to report. */
    away(reason: string, isExpected: boolean): void {
      if (state !== 'away' && !isExpected)
        report('warn', `NATS is away, so events go to subscribers directly from the log: ${reason}`, {
          servers,
        })
      state = 'away'
    },
    refused(reason: string): void {
      const [kind = ''] = reason.split('"')
      if (!refusals.has(kind))
        report('warn', `NATS refuses something: ${reason}; give this user the permission`)
      refusals.add(kind)
    },
  }
}

export type NatsBusDeps = {
  settings: NatsSettings
  log: EventLog
  /** The path of the file in which the relay keeps its checkpoint. */
  file: string
  timers: Timers
  report: Report
  /** Returns the milliseconds of a clock that only goes forward. */
  now?: (() => number) | undefined
}

/** Milliseconds from the end of a connection to the next attempt. The wait doubles after each failed attempt. */
const shortestWaitMs = 100
const longestWaitMs = 2000
/** After a connection that lasted longer than this, or over which events were sent, the shortest wait follows. */
const goodMs = 5000

type Connecting = {
  /** Connects, and resolves when the connection has ended or could not be made. */
  connect: () => Promise<void>
  /** The number of events that were sent over all connections. */
  sent: () => number
  timers: Timers
}

/** Connects again whenever a connection has ended, until the signal aborts. */
const stayConnected = async ({ connect, sent, timers }: Connecting, stopping: AbortSignal): Promise<void> => {
  for (let wait = shortestWaitMs; !stopping.aborted; ) {
    const [since, before] = [performance.now(), sent()]
    await connect()
    if (stopping.aborted) return
    const wasGood = performance.now() - since > goodMs || sent() > before
    wait = wasGood ? shortestWaitMs : Math.min(2 * wait, longestWaitMs)
    await sleep(timers, wait, stopping)
  }
}

export const createNatsBus = ({ settings, log, file, timers, report, now }: NatsBusDeps) => {
  const relay = createRelay({ log, file, timers, report, now })
  const reports = createNatsReports(report, settings.shown)
  const erase = createNatsErasing({ connected: () => connected, position: relay.position, timers })
  let feed = createNatsFeed(() => {}, timers)
  /** The newest checkpoint of the log, as a note. */
  let checkpoint: string | undefined
  let connections = 0
  let connected: Connection | undefined
  const stopping = new AbortController()

  const refused = (reason: string) => {
    if (/Publish/.test(reason) && !reason.includes(checkpointSubject)) relay.refused(reason)
    reports.refused(reason)
  }
  const away = (reason: string) => reports.away(reason, stopping.signal.aborted)

  const use = async (connection: Connection): Promise<void> => {
    connections++
    connected = connection
    reports.connected(connection.server)
    const over = connection.closed.then(reason => {
      connected = undefined
      feed.goBackToTheLog()
      away(reason)
    })
    connection.subscribe(allSubjects, feed.hear)
    if (checkpoint !== undefined) connection.publish(checkpointSubject, checkpoint, {})
    await relay.serve(connection)
    await connection.close()
    await over
  }
  const connect = (): Promise<void> =>
    connectNats(settings, refused).then(
      connection => (stopping.signal.aborted ? connection.close() : use(connection)),
      error => away(reasonOf(error)),
    )
  const sent = () => relay.counts.published
  return {
    /** Returns a function that must be called with each later commit. It publishes the events of the commit. */
    join(events: Events): (committed: readonly Recorded[]) => void {
      feed = createNatsFeed(events.publishUpTo, timers, log.head())
      return committed => {
        feed.commit(publishedOf(committed), committed.at(-1)?.position ?? log.head())
      }
    },
    start(): void {
      stayConnected({ connect, sent, timers }, stopping.signal).catch(error =>
        report('error', 'NATS is not used any more until the server is started again', {
          error: error instanceof Error ? error.stack : String(error),
        }),
      )
    },
    /** Publishes a checkpoint now, or when there is a connection, unless a newer one comes first. */
    publishCheckpoint(note: string): void {
      checkpoint = note
      connected?.publish(checkpointSubject, note, {})
    },
    erase,
    /** Sends committed events for up to another second. The server sends the rest after its next start. */
    async stop(): Promise<void> {
      stopping.abort()
      await relay.stop()
      feed.goBackToTheLog()
      await connected?.close()
    },
    /** For metrics. */
    counts: () => ({
      connected: connected !== undefined,
      reconnects: Math.max(0, connections - 1),
      published: relay.counts.published,
      tooLong: relay.counts.tooLong,
      position: relay.position(),
      lag: Math.max(0, log.head() - relay.position()),
      stopped: relay.isStuck(),
      delivered: { nats: feed.counts.nats, log: feed.counts.log },
      foreign: feed.counts.foreign,
    }),
  }
}
export type NatsBus = ReturnType<typeof createNatsBus>
