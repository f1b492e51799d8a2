// From the log to NATS: every public event, in order. Where JetStream is, the stream itself says what it has, and each
// message names the one that it must follow: whatever is lost or refused on the way, nothing comes twice or out of order.
// Without JetStream a checkpoint says how far the server has taken them.
import type { Report, Timers } from '../contract/ports.ts'
import { DamagedEvent } from '../contract/stored.ts'
import { readCheckpoint, saveCheckpoint } from '../log/checkpoint.ts'
import type { EventLog } from '../log/log.ts'
import { type Connection, reasonOf } from './nats.ts'
import { headersOf, subjectOf } from './nats-subject.ts'
import { expectedBytes, type Outlet, plainOutlet, streamOutlet } from './outlets.ts'
import { openStream, WrongStream } from './relay-stream.ts'
import { bodyOf, type Told, toldOf } from './told.ts'

/** Sent and not acknowledged yet, at most. */
const messagesAtMost = 1024
const bytesAtMost = 4 * 1024 * 1024
/** Read and not sent yet: from here on the log is not read further. */
const queuedAtMost = 4096
/** Nothing was acknowledged for so long: what is under way is lost. */
const patienceMs = 3000
const shortestWaitMs = 50
const longestWaitMs = 2000
/** A stream that is not ours is looked at again. */
const wrongStreamMs = 30_000
const saveEveryMs = 1000
const lastTryMs = 1000

export type RelayParts = {
  log: EventLog
  /** Where the checkpoint is kept. */
  file: string
  timers: Timers
  report: Report
}

/** Something was lost or refused: it goes on from what NATS has. */
class Interrupted extends Error {}

const sizeOf = (body: string, headers: Record<string, string>): number =>
  Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + value.length + 4,
    Buffer.byteLength(body) + 'NATS/1.0\r\n\r\n'.length + expectedBytes,
  )

export const createRelay = ({ log, file, timers, report }: RelayParts) => {
  const counts = { published: 0, tooLong: 0, stopped: 0 }
  /** Read from the log up to here; what was sent of it and not taken yet, oldest first. */
  let read = 0
  let underWay: { position: number; bytes: number }[] = []
  let bytes = 0
  let progressAt = 0
  let failure: string | undefined
  /** The newest event that NATS has taken, and the one that the checkpoint says. */
  let newest = 0
  let saved = 0
  let savedAt = 0
  let isClosed = true
  let stopping = false
  let trouble = ''
  let done: Promise<void> = Promise.resolve()

  let woken = false
  let onWake = () => {}
  const wake = () => {
    woken = true
    onWake()
  }
  /** Until something happens, or so many milliseconds have passed. */
  const rest = async (ms?: number): Promise<void> => {
    if (!woken) {
      await new Promise<void>(resolve => {
        const cancel = ms === undefined ? () => {} : timers.after(ms, resolve)
        onWake = () => {
          cancel()
          resolve()
        }
      })
    }
    woken = false
  }

  /** NATS has everything up to here, as far as we know. */
  const position = (): number => (underWay[0]?.position ?? read + 1) - 1
  const isOver = (): boolean => isClosed || (stopping && position() >= log.head())

  const hears = {
    taken(count: number) {
      const taken = underWay.splice(0, count)
      newest = taken.at(-1)?.position ?? newest
      for (const message of taken) bytes -= message.bytes
      counts.published += taken.length
      progressAt = performance.now()
      if (trouble !== '') report('warn', 'events reach NATS again')
      trouble = ''
      wake()
    },
    failed(reason: string) {
      failure ??= reason
      wake()
    },
  }

  const isSaved = (): boolean => saved === newest
  const save = async (): Promise<void> => {
    const reached = newest
    await saveCheckpoint(file, log, reached)
    saved = reached
    savedAt = performance.now()
  }
  /** What was reached in this life, or in an earlier one; the beginning when nobody knows. */
  const reached = (): number => {
    if (newest > 0) return newest
    const found = readCheckpoint(file, log)
    if (found === 'foreign')
      report('warn', `${file} does not belong to this log: NATS is sent its events from the beginning`)
    return typeof found === 'number' ? found : 0
  }

  /** The public events after a position that are not sent yet: a page of them, and more is not read. */
  const queueAfter = (from: number) => {
    let queue: Told[] = []
    let upTo = from
    let broken: { error: unknown } | undefined
    let makeRoom = () => {}
    const subscription = log.subscribe({ after: from }, events => {
      queue.push(...toldOf(events))
      upTo = events.at(-1)?.position ?? upTo
      wake()
      if (queue.length < queuedAtMost) return
      return new Promise<void>(resolve => {
        makeRoom = resolve
      })
    })
    subscription.done.catch(error => {
      broken = { error }
      wake()
    })
    return {
      /** Throws what the log could not be read for. */
      take() {
        if (broken !== undefined) throw broken.error
        const told = queue
        queue = []
        makeRoom()
        return { told, upTo }
      },
      stop() {
        makeRoom()
        void subscription.stop()
      },
    }
  }

  /** Throws Interrupted; false: it is over. */
  const mayGoOn = (): boolean => {
    if (isOver()) return false
    if (failure !== undefined) throw new Interrupted(failure)
    if (underWay.length > 0 && performance.now() - progressAt > patienceMs)
      throw new Interrupted('nothing is acknowledged')
    return true
  }
  const give = (outlet: Outlet, told: Told, prev: number, maxMessage: number): void => {
    const body = bodyOf(told)
    const headers = headersOf(told, prev, log.id)
    const size = sizeOf(body, headers)
    if (size > maxMessage) {
      counts.tooLong++
      report('warn', 'an event is too long for NATS: readers find it in the log', { position: told.position })
      return
    }
    if (underWay.length === 0) progressAt = performance.now()
    underWay.push({ position: told.position, bytes: size })
    bytes += size
    outlet.send(subjectOf(told), body, headers)
  }

  /** Everything after a position, until it is over. */
  const follow = async (outlet: Outlet, from: number, maxMessage: number, isKept: boolean): Promise<void> => {
    const unsent = queueAfter(from)
    let prev = from
    read = newest = from
    try {
      while (mayGoOn()) {
        const before = read
        const { told, upTo } = unsent.take()
        for (const one of told) {
          while (underWay.length >= messagesAtMost || bytes >= bytesAtMost) {
            await rest(patienceMs)
            if (!mayGoOn()) return
          }
          give(outlet, one, prev, maxMessage)
          prev = one.position
        }
        read = upTo
        const mustSave = !isKept && !isSaved()
        if (mustSave && performance.now() - savedAt >= saveEveryMs) await save()
        // A page that held nothing to send was read all the same: others have their turn.
        if (upTo > before) await new Promise(resolve => setImmediate(resolve))
        else if (mayGoOn()) await rest(underWay.length > 0 ? patienceMs : mustSave ? saveEveryMs : undefined)
      }
    } finally {
      unsent.stop()
    }
  }

  /** From where NATS is, whatever was under way before. */
  const goOn = async (connection: Connection): Promise<void> => {
    underWay = []
    bytes = 0
    failure = undefined
    read = newest // what was sent and not taken counts as missing until it is known
    const streams = await connection.streams()
    let outlet: Outlet | undefined
    try {
      if (streams === undefined) {
        counts.stopped = 0
        outlet = plainOutlet(connection, hears)
        return await follow(outlet, reached(), connection.maxMessage, false)
      }
      const { from, lastSequence, maxMessage, forgets } = await openStream(streams, log, reached)
      counts.stopped = 0
      outlet = streamOutlet(streams, lastSequence, hears)
      await follow(outlet, from, Math.min(maxMessage, connection.maxMessage), !forgets)
    } finally {
      outlet?.close()
    }
  }

  const say = (level: 'warn' | 'error', message: string) => {
    if (message !== trouble) report(level, message)
    trouble = message
  }
  const serve = async (connection: Connection): Promise<void> => {
    let wait = shortestWaitMs
    while (!isClosed && !stopping) {
      const before = counts.published
      try {
        await goOn(connection)
      } catch (error) {
        await new Promise(resolve => setImmediate(resolve)) // a connection that broke says so by then
        if (isClosed || stopping) return
        const isFinal = error instanceof WrongStream || error instanceof DamagedEvent
        counts.stopped = Number(isFinal)
        if (isFinal) say('error', `NATS gets no events: ${reasonOf(error)}`)
        else say('warn', `events do not reach NATS, they will later: ${reasonOf(error)}`)
        wait = counts.published > before ? shortestWaitMs : Math.min(2 * wait, longestWaitMs)
        woken = false
        const until = performance.now() + (isFinal ? wrongStreamMs : wait)
        while (performance.now() < until && !isClosed && !stopping) await rest(until - performance.now())
      }
    }
  }

  return {
    counts,
    position,
    /** The server does not allow what we do. */
    refused: hears.failed,
    /** Resolves when the connection is over, or the server stops. */
    serve(connection: Connection): Promise<void> {
      isClosed = false
      const close = () => {
        isClosed = true
        wake()
      }
      connection.closed.then(close, close)
      done = serve(connection)
      return done
    },
    /** Sends what is there if that takes no time. */
    async stop(): Promise<void> {
      stopping = true
      wake()
      await Promise.race([done, new Promise<void>(resolve => timers.after(lastTryMs, resolve))])
      isClosed = true
      wake()
      if (newest > 0 && !isSaved()) await save()
    },
  }
}
export type Relay = ReturnType<typeof createRelay>
