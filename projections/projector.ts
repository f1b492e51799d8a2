// Runs the projections. Events are taken in as they are committed and written down together a moment later, or
// when somebody wants to read: rows and checkpoint in one transaction, so a read model can stop anywhere and go
// on, and never be ahead of what it says it is.

import type { Report, Timers } from '../src/contract/ports.ts'
import { Refusal } from '../src/contract/refusals.ts'
import type { Log, Recorded } from '../src/contract/stored.ts'
import { createIntake, type Intake, type Projection } from './intake.ts'
import type { ReadStore } from './store.ts'
import { isOfFile } from './sums.ts'
import { createTrust, type Trust } from './trust.ts'

export type Projector = {
  /** Takes in the events of one commit, at once: nothing can come between a commit and its readers. Never throws. */
  follow(events: Recorded[]): void
  /**
   * Writes down what was taken in, if it holds something of this stream where one is named. Asked before the tables are
   * read, so that everybody reads what was written.
   */
  flush(stream?: string): void
  /** Asks the tables. Throws ReadModelsBehind when they cannot be read, or are damaged: they are made anew. */
  reading<T>(ask: () => T): T
  /** Reads the log from the checkpoint to its head; commits go on meanwhile. One at a time: a second joins the first. */
  catchUp(): Promise<void>
  /** The position up to which they are written down. */
  reached(): number
  /** Whether the read models hold everything that the log holds. */
  isCurrent(): boolean
  /** Whether they hold everything of one stream; so a stream without news can be read while others wait. */
  isCurrentFor(stream: string): boolean
}

/** Why the read models cannot be gone on with; undefined: their checkpoint stands in this log, with the same leaf. */
export const misfitOf = (store: ReadStore, log: Log): string | undefined => {
  const at = store
    .prepare<[], { position: number; leaf: string }>('SELECT position, leaf FROM checkpoint')
    .get()
  if (at === undefined || log.leafAt(at.position) === at.leaf) return undefined
  return at.position > log.head()
    ? `they know ${at.position} events, and the log has ${log.head()}: unless it was restored, the others are lost`
    : 'they belong to another log'
}

/** Rows written for many events at once cost a fraction of what they cost one by one. */
const flushMs = 20
const flushEvents = 1000
const catchUpEvents = 10_000
/** Events of a page of the log that is not long. */
const usualPage = 1000

/** Takes in and writes what the log has after what was taken in. `onHead` is called when that is all of it. */
const readToHead = async (log: Log, intake: Intake, onHead: () => void): Promise<void> => {
  intake.write()
  while (intake.position() < log.head()) {
    const before = intake.position()
    for await (const page of log.readAll(before)) {
      intake.take(page)
      // A page that was cut short is long: what it says is not kept in memory beside the next one.
      if (intake.pending() >= catchUpEvents || page.length < usualPage) intake.write()
      await new Promise(resolve => setImmediate(resolve)) // a long log keeps nobody waiting
    }
    if (intake.position() === before) throw new Error(`the log has nothing to read after position ${before}`)
  }
  intake.write()
  onHead() // in the same breath as the look at the head: no commit falls between
}

/** Asks the tables unless they are known to be damaged, and finds out when they are. */
const createReading =
  (trust: Trust, failed: (error: unknown) => void): Projector['reading'] =>
  ask => {
    if (trust.isDamaged()) throw new Refusal('ReadModelsBehind')
    try {
      return ask()
    } catch (error) {
      if (!isOfFile(error)) throw error
      failed(error)
      throw new Refusal('ReadModelsBehind')
    }
  }

export const createProjector = (
  store: ReadStore,
  log: Log,
  projections: Projection[],
  timers: Timers,
  report: Report,
): Projector => {
  const intake = createIntake(store, log, projections)
  const trust = createTrust(report)
  let catchingUp: Promise<void> | undefined
  let flushLater: (() => void) | undefined

  const noFlushLater = () => {
    flushLater?.()
    flushLater = undefined
  }
  /** Whatever went wrong: memory is as the tables are, so that the next `catchUp` goes on from a true state. */
  const failed = (error: unknown) => {
    intake.forget()
    trust.failed(error)
  }
  const flush = (stream?: string) => {
    if (trust.isBehind()) return // whoever catches up writes
    if (stream !== undefined && !intake.hasNewsOf(stream)) return
    try {
      noFlushLater()
      intake.write()
    } catch (error) {
      failed(error)
    }
  }
  const soon = () => {
    if (intake.pending() >= flushEvents) flush()
    else flushLater ??= timers.after(flushMs, () => flush())
  }
  const readOn = async (): Promise<void> => {
    trust.fallBehind()
    if (trust.mustBeEmptied()) {
      intake.restart()
      trust.emptied()
    }
    noFlushLater()
    await readToHead(log, intake, () => {
      trust.caughtUp()
      catchingUp = undefined
    })
  }

  return {
    follow(events) {
      if (trust.isBehind()) return intake.note(events)
      const next = intake.position() + 1
      const fresh = events.filter(({ position }) => position >= next) // a catch-up may have read some of them
      if (fresh.length === 0) return
      try {
        if (fresh[0]?.position !== next) throw new Error(`nobody told of position ${next}`)
        intake.take(fresh)
        soon()
      } catch (error) {
        intake.note(events)
        failed(error)
      }
    },
    flush,
    reading: createReading(trust, failed),
    catchUp() {
      catchingUp ??= Promise.resolve()
        .then(readOn)
        .catch(error => {
          catchingUp = undefined
          failed(error)
          throw error
        })
      return catchingUp
    },
    reached: intake.written,
    isCurrent: () => !trust.isBehind() && intake.position() === log.head(),
    isCurrentFor: stream => !trust.isBehind() || (!trust.isDamaged() && !intake.hasNewsOf(stream)),
  }
}
