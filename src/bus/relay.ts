// From the log to NATS: every public event, in order. Where JetStream is, the stream itself says what it has, and each
// message names the one that it must follow: whatever is lost or refused on the way, nothing comes twice or out of order.
// Without JetStream a checkpoint says how far the server has taken them.
import type { Report, Timers } from '../contract/ports.ts'
import { DamagedEvent } from '../contract/stored.ts'
import type { EventLog } from '../log/log.ts'
import { createBell } from './bell.ts'
import { type Connection, reasonOf } from './nats.ts'
import { type Hears, plainOutlet, streamOutlet } from './outlets.ts'
import { createRelayCheckpoint } from './relay-checkpoint.ts'
import { createRelayReports } from './relay-reports.ts'
import { createSender, type Way } from './relay-sender.ts'
import { openStream, WrongStream } from './relay-stream.ts'

const shortestWaitMs = 50
const longestWaitMs = 2000
/** How long until a stream that is not ours is looked at again. */
const wrongStreamMs = 30_000
/** How long a stopping server waits for what it has not sent. */
const lastTryMs = 1000

export type RelayDeps = {
  log: EventLog
  /** Where the checkpoint is kept. */
  file: string
  timers: Timers
  report: Report
}

/** Into the stream, where there is one; `reached`: how far the events have come, where NATS does not know it. */
const openWay = async (
  connection: Connection,
  log: EventLog,
  hears: Hears,
  reached: () => number,
): Promise<Way> => {
  const streams = await connection.streams()
  if (streams === undefined) {
    const outlet = plainOutlet(connection, hears)
    return { outlet, from: reached(), maxMessage: connection.maxMessage, isKept: false }
  }
  const { from, lastSequence, maxMessage, forgets } = await openStream(streams, log, reached)
  const outlet = streamOutlet(streams, lastSequence, hears)
  return { outlet, from, maxMessage: Math.min(maxMessage, connection.maxMessage), isKept: !forgets }
}

export const createRelay = ({ log, file, timers, report }: RelayDeps) => {
  const bell = createBell(timers)
  const checkpoint = createRelayCheckpoint(log, file, report)
  const reports = createRelayReports(report)
  /** The connection is over; and the server stops, once everything is sent. */
  let isClosed = true
  let stopping = false
  const isOver = (position: number) => isClosed || (stopping && position >= log.head())
  const sender = createSender({ log, checkpoint, bell, reports, isOver })
  let isStuck = false
  let done: Promise<void> = Promise.resolve()

  /** What NATS has taken in this life of the server, or in an earlier one. */
  const reached = (): number => sender.newest() || checkpoint.read()

  /** From where NATS is, whatever was under way before. */
  const goOn = async (connection: Connection): Promise<void> => {
    sender.reset()
    const way = await openWay(connection, log, sender.hears, reached)
    isStuck = false
    await sender.follow(way).finally(way.outlet.close)
  }

  const serve = async (connection: Connection): Promise<void> => {
    let wait = shortestWaitMs
    while (!isClosed && !stopping) {
      const before = sender.counts.published
      try {
        await goOn(connection)
      } catch (error) {
        await new Promise(resolve => setImmediate(resolve)) // a connection that broke says so by then
        if (isClosed || stopping) return
        isStuck = error instanceof WrongStream || error instanceof DamagedEvent
        if (isStuck) reports.trouble('error', `NATS gets no events: ${reasonOf(error)}`)
        else reports.trouble('warn', `events do not reach NATS, they will later: ${reasonOf(error)}`)
        wait = sender.counts.published > before ? shortestWaitMs : Math.min(2 * wait, longestWaitMs)
        bell.silence()
        const until = performance.now() + (isStuck ? wrongStreamMs : wait)
        while (performance.now() < until && !isClosed && !stopping) await bell.rest(until - performance.now())
      }
    }
  }

  return {
    counts: sender.counts,
    /** NATS gets no events until somebody has looked at it. */
    isStuck: () => isStuck,
    position: sender.position,
    /** The server does not allow what we do. */
    refused: sender.hears.failed,
    /** Resolves when the connection is over, or the server stops. */
    serve(connection: Connection): Promise<void> {
      isClosed = false
      const close = () => {
        isClosed = true
        bell.ring()
      }
      connection.closed.then(close, close)
      done = serve(connection)
      return done
    },
    /** Sends what is there if that takes no time. */
    async stop(): Promise<void> {
      stopping = true
      bell.ring()
      await Promise.race([done, new Promise<void>(resolve => timers.after(lastTryMs, resolve))])
      isClosed = true
      bell.ring()
      const newest = sender.newest()
      if (newest > 0 && !checkpoint.isSaved(newest)) await checkpoint.save(newest)
    },
  }
}
export type Relay = ReturnType<typeof createRelay>
