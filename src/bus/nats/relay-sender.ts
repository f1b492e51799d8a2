// Sends the public events after a position as fast as NATS takes them, and knows which events NATS has.
import type { PublicEvent } from '../../contract/events/public-events.ts'
import { localPause } from '../../fairness/slices.ts'
import type { EventLog } from '../../log/log.ts'
import { yieldToLoop } from '../../platform/loop.ts'
import type { Bell } from '../bell.ts'
import { expectedBytes, type Hears, type Outlet } from '../outlets.ts'
import { bodyOf, type Published } from '../published.ts'
import { createUnderWay, patienceMs, type UnderWay } from '../under-way.ts'
import { unsentAfter } from '../unsent.ts'
import { headersOf, subjectOf } from './nats-subject.ts'
import { type RelayCheckpoint, saveEveryMs } from './relay-checkpoint.ts'
import type { RelayReports } from './relay-reports.ts'

/** Thrown when messages were lost or refused: sending begins again after the last event that NATS has. */
class Interrupted extends Error {}

const sizeOf = (body: string, headers: Record<string, string>): number =>
  Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + value.length + 4,
    Buffer.byteLength(body) + 'NATS/1.0\r\n\r\n'.length + expectedBytes,
  )

type SenderDeps = {
  log: EventLog
  checkpoint: RelayCheckpoint
  bell: Bell
  reports: RelayReports
  /** Whether to stop sending, if NATS has every event up to this position. */
  isOver: (position: number) => boolean
}

/**
 * A way to send events to NATS. `from`: the position after which sending begins. `maxMessage`: the largest number of
 * bytes of a message. `isStored`: a stream of NATS stores every event, and shows its last one, so no checkpoint is saved.
 */
export type Way = { outlet: Outlet; from: number; maxMessage: number; isStored: boolean }

/** Sends one message to the outlet. Returns false when it is longer than NATS allows. */
const send = (
  event: Published<PublicEvent>,
  prev: number,
  source: string,
  { outlet, maxMessage }: Way,
  underWay: UnderWay,
): boolean => {
  const body = bodyOf(event)
  const headers = headersOf(event, prev, source)
  const size = sizeOf(body, headers)
  if (size > maxMessage) return false
  underWay.add(event.position, size)
  outlet.send(subjectOf(event), body, headers)
  return true
}

/** Counts the messages that NATS has taken, and those that were too long. */
const createCounts = (reports: RelayReports) => {
  const counts = { published: 0, tooLong: 0 }
  return {
    counts,
    taken(count: number): void {
      counts.published += count
      reports.reached()
    },
    tooLong(position: number): void {
      counts.tooLong++
      reports.tooLong(position)
    },
  }
}

export const createSender = ({ log, checkpoint, bell, reports, isOver }: SenderDeps) => {
  const { counts, taken: countTaken, tooLong } = createCounts(reports)
  const underWay = createUnderWay()
  /** The position up to which the log is read and sent. */
  let read = 0
  /** The position of the newest event that NATS has taken. */
  let newest = 0
  let failure: string | undefined

  /** The position up to which NATS has every event, as far as the server knows. */
  const position = (): number => (underWay.oldest() ?? read + 1) - 1

  const hears: Hears = {
    taken(count) {
      const taken = underWay.take(count)
      newest = taken.at(-1)?.position ?? newest
      countTaken(taken.length)
      bell.ring()
    },
    failed(reason) {
      failure ??= reason
      bell.ring()
    },
  }

  /** Whether sending continues. Throws Interrupted when messages were lost or refused. */
  const mayGoOn = (): boolean => {
    if (isOver(position())) return false
    if (failure !== undefined) throw new Interrupted(failure)
    if (underWay.isLost()) throw new Interrupted(`NATS has acknowledged nothing for ${patienceMs} ms`)
    return true
  }

  return {
    counts,
    position,
    newest: () => newest,
    hears,
    /** Forgets the messages under way: events that NATS has not acknowledged count as missing from now on. */
    reset(): void {
      underWay.clear()
      failure = undefined
      read = newest
    },
    /** Sends every public event after `way.from` until `isOver` is true. Pauses often: this may be the whole log. */
    async follow(way: Way): Promise<void> {
      const pause = localPause()
      const unsent = unsentAfter(log, way.from, bell.ring, pause)
      let prev = way.from
      read = newest = way.from
      try {
        while (mayGoOn()) {
          const before = read
          const { events, upTo } = unsent.take()
          for (const event of events) {
            do {
              await (underWay.isFull() ? bell.rest(patienceMs) : pause())
              if (!mayGoOn()) return
            } while (underWay.isFull())
            if (!send(event, prev, log.id, way, underWay)) tooLong(event.position)
            prev = event.position
          }
          read = upTo
          if (underWay.isEmpty() && read >= log.head()) reports.reached()
          const mustSave = !way.isStored && !checkpoint.isSaved(newest)
          if (mustSave && checkpoint.isDue()) await checkpoint.save(newest)
          if (upTo > before)
            await yieldToLoop() // reading takes time even if there is nothing to send
          else if (mayGoOn())
            await bell.rest(!underWay.isEmpty() ? patienceMs : mustSave ? saveEveryMs : undefined)
        }
      } finally {
        unsent.stop()
      }
    },
  }
}
