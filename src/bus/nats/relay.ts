// The relay from the log to NATS: it sends every public event, in order. With JetStream, the stream itself shows which
// event is its last, and each message names the message that it must follow. So the stream has no event twice or out
// of order, whatever is lost or refused on the way. Without JetStream, a checkpoint says up to which position the NATS
// server has taken the events.
import type { Report, Timers } from '../../contract/ports.ts'
import { DamagedEvent } from '../../contract/stored.ts'
import type { EventLog } from '../../log/log.ts'
import { yieldToLoop } from '../../platform/loop.ts'
import { waitAtMost } from '../../platform/sleep.ts'
import { createBell } from '../bell.ts'
import { type Hears, plainOutlet, streamOutlet } from '../outlets.ts'
import { type Connection, reasonOf } from './nats.ts'
import { createRelayCheckpoint } from './relay-checkpoint.ts'
import { createRelayReports } from './relay-reports.ts'
import { createSender, type Way } from './relay-sender.ts'
import { openStream, WrongStream } from './relay-stream.ts'

/** Milliseconds after an error until the relay sends again. The wait doubles after each further error. */
const shortestWaitMs = 50
const longestWaitMs = 2000
/** Milliseconds until the relay tries again to use a stream that does not belong to this log. */
const wrongStreamMs = 30_000
/** A stopping server waits at most this many milliseconds until unsent events are sent. */
const lastTryMs = 1000

export type RelayDeps = {
  log: EventLog
  /** The path of the file in which the checkpoint is kept. */
  file: string
  timers: Timers
  report: Report
  /** Returns the milliseconds of a clock that only goes forward. */
  now?: (() => number) | undefined
}

/**
 * Returns the way over the stream if the NATS server has JetStream, otherwise the way to the current listeners.
 * `reached` returns the last position that NATS has taken, for the cases in which NATS itself does not show it.
 */
const openWay = async (
  connection: Connection,
  log: EventLog,
  hears: Hears,
  reached: () => number,
): Promise<Way> => {
  const streams = await connection.streams()
  if (streams === undefined) {
    const outlet = plainOutlet(connection, hears)
    return { outlet, from: reached(), maxMessage: connection.maxMessage, isStored: false }
  }
  const { from, lastSequence, maxMessage, forgets } = await openStream(streams, log, reached)
  const outlet = streamOutlet(streams, lastSequence, hears)
  return { outlet, from, maxMessage: Math.min(maxMessage, connection.maxMessage), isStored: !forgets }
}

export const createRelay = ({ log, file, timers, report, now = () => performance.now() }: RelayDeps) => {
  const bell = createBell(timers)
  const checkpoint = createRelayCheckpoint(log, file, report)
  const reports = createRelayReports(report, now)
  /** Whether the connection has ended. */
  let isClosed = true
  /** Whether the server stops. Sending then ends as soon as everything is sent. */
  let stopping = false
  const isOver = (position: number) => isClosed || (stopping && position >= log.head())
  const sender = createSender({ log, checkpoint, bell, reports, isOver })
  let done: Promise<void> = Promise.resolve()

  /** The position up to which NATS has taken events, in this run of the server or in an earlier one. */
  const reached = (): number => sender.newest() || checkpoint.read()

  /** Sends the events after the last one that NATS has. Messages that were under way count as not sent. */
  const goOn = async (connection: Connection): Promise<void> => {
    sender.reset()
    const way = await openWay(connection, log, sender.hears, reached)
    reports.opened()
    await sender.follow(way).finally(way.outlet.close)
  }

  const serve = async (connection: Connection): Promise<void> => {
    let wait = shortestWaitMs
    while (!isClosed && !stopping) {
      const before = sender.counts.published
      try {
        await goOn(connection)
      } catch (error) {
        await yieldToLoop() // `isClosed` is true by then if the connection broke
        if (isClosed || stopping) return
        const isHopeless = error instanceof WrongStream || error instanceof DamagedEvent
        if (isHopeless) reports.stopped(reasonOf(error))
        else reports.failed(reasonOf(error))
        wait = sender.counts.published > before ? shortestWaitMs : Math.min(2 * wait, longestWaitMs)
        bell.silence()
        const until = performance.now() + (isHopeless ? wrongStreamMs : wait)
        while (performance.now() < until && !isClosed && !stopping) await bell.rest(until - performance.now())
      }
    }
  }

  return {
    counts: sender.counts,
    isStuck: reports.isStuck,
    position: sender.position,
    /** Called when the NATS server refuses to let us publish. */
    refused: sender.hears.failed,
    /** Sends events over this connection. Resolves when the connection has ended, or when the server stops. */
    serve(connection: Connection): Promise<void> {
      isClosed = false
      reports.connected()
      const close = () => {
        isClosed = true
        bell.ring()
      }
      connection.closed.then(close, close)
      done = serve(connection)
      return done
    },
    /** Waits up to `lastTryMs` until unsent events are sent. */
    async stop(): Promise<void> {
      stopping = true
      bell.ring()
      await waitAtMost(timers, lastTryMs, done)
      isClosed = true
      bell.ring()
      const newest = sender.newest()
      if (newest > 0 && !checkpoint.isSaved(newest))
        await checkpoint.save(newest).catch(error =>
          report('warn', 'the place of the events that NATS has could not be saved: some are sent again', {
            error: String(error),
          }),
        )
    },
  }
}
export type Relay = ReturnType<typeof createRelay>
