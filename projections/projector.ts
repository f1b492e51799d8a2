// Runs the projections. Events are taken in as they are committed and written down together a moment later, or
// when somebody wants to read: rows and checkpoint in one transaction, so a read model can stop anywhere and go
// on, and never be ahead of what it says it is.

import type { Report, Timers } from '../src/contract/ports.ts'
import { Refusal } from '../src/contract/refusals.ts'
import { DamagedEvent, type Log, type Recorded, StorageFailure } from '../src/contract/stored.ts'
import type { ReadStore } from './store.ts'
import { isDamage, isOfFile } from './sums.ts'

export type Projection = {
  /** Takes events in, in memory alone. */
  fold(events: Recorded[]): void
  /** Writes down what has changed since the last time; called in the transaction that moves the checkpoint. */
  write(): void
  /** Drops what it keeps in memory: what it took in could not be written. */
  forget(): void
}

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

/** Neither the disk nor the log is at fault: what the tables say does not go with what the log says. */
const isMisfit = (error: unknown): boolean => {
  if (error instanceof DamagedEvent || error instanceof StorageFailure) return false
  const { code } = error as { code?: string }
  return !code?.startsWith('SQLITE_') || /^SQLITE_CONSTRAINT_(PRIMARYKEY|UNIQUE|ROWID)$/.test(code)
}

/** Rows written for many events at once cost a fraction of what they cost one by one. */
const flushMs = 20
const flushEvents = 1000
const catchUpEvents = 10_000
/** Events of a page of the log that is not long. */
const usualPage = 1000

export const createProjector = (
  store: ReadStore,
  log: Log,
  projections: Projection[],
  timers: Timers,
  report: Report,
): Projector => {
  const move = store.prepare(
    `INSERT INTO checkpoint (one, position, leaf) VALUES (1, ?, ?)
     ON CONFLICT (one) DO UPDATE SET position = excluded.position, leaf = excluded.leaf`,
  )
  let written = store.prepare<[], number>('SELECT position FROM checkpoint').pluck().get() ?? 0
  let position = written
  /** Commits are not taken in: something went wrong, or the log is being read. */
  let behind = false
  /** Nothing that the tables say is true until they have been made anew. */
  let damaged = false
  let mustBeEmptied = false
  let catchingUp: Promise<void> | undefined
  /** Streams with events that are not written yet, and the position of their newest one. */
  const unwritten = new Map<string, number>()
  let flushLater: (() => void) | undefined

  const commit = store.transaction(() => {
    for (const projection of projections) projection.write()
    move.run(position, log.leafAt(position) ?? '')
  })

  const write = () => {
    flushLater?.()
    flushLater = undefined
    if (position === written) return
    commit()
    written = position
    for (const [stream, newest] of unwritten) if (newest <= written) unwritten.delete(stream)
  }

  const note = (events: Recorded[]) => {
    for (const { position, header } of events) unwritten.set(header.stream, position)
  }
  const take = (events: Recorded[]) => {
    note(events)
    for (const projection of projections) projection.fold(events)
    position = events.at(-1)?.position ?? position
  }

  const forget = () => {
    position = written
    for (const projection of projections) projection.forget()
  }
  const distrust = (error: unknown) => {
    behind = true
    mustBeEmptied = true
    if (damaged) return
    damaged = true
    report('warn', 'the read models are damaged, and made anew from the log', { error: String(error) })
  }
  /** Whatever went wrong: memory is as the tables are, so that the next `catchUp` goes on from a true state. */
  const failed = (error: unknown) => {
    const isNews = !behind
    behind = true
    forget()
    // Tables that were made anew and do not fit either are not the ones to blame.
    if (isDamage(error) || (!damaged && isMisfit(error))) return distrust(error)
    if (!isNews) return
    report('error', 'the read models stopped; lists answer 503 until they caught up', {
      error: String(error),
    })
  }
  const flush = (stream?: string) => {
    if (behind) return // whoever catches up writes
    if (stream !== undefined && !unwritten.has(stream)) return
    try {
      write()
    } catch (error) {
      failed(error)
    }
  }
  const soon = () => {
    if (position - written >= flushEvents) flush()
    else flushLater ??= timers.after(flushMs, () => flush())
  }

  const readToHead = async (): Promise<void> => {
    behind = true
    if (mustBeEmptied) {
      store.renew()
      mustBeEmptied = false
      written = 0
      forget()
    }
    write()
    while (position < log.head()) {
      const before = position
      for await (const page of log.readAll(position)) {
        take(page)
        // A page that was cut short is long: what it says is not kept in memory beside the next one.
        if (position - written >= catchUpEvents || page.length < usualPage) write()
        await new Promise(resolve => setImmediate(resolve)) // a long log keeps nobody waiting
      }
      if (position === before) throw new Error(`the log has nothing to read after position ${before}`)
    }
    write()
    // In the same breath as the look at the head: no commit falls between.
    behind = damaged = mustBeEmptied
    catchingUp = undefined
  }

  return {
    follow(events) {
      if (behind) return note(events)
      const fresh = events.filter(event => event.position > position) // a catch-up may have read some of them
      if (fresh.length === 0) return
      try {
        if (fresh[0]?.position !== position + 1) throw new Error(`nobody told of position ${position + 1}`)
        take(fresh)
        soon()
      } catch (error) {
        note(events)
        failed(error)
      }
    },
    flush,
    reading(ask) {
      if (damaged) throw new Refusal('ReadModelsBehind')
      try {
        return ask()
      } catch (error) {
        if (!isOfFile(error)) throw error
        failed(error)
        throw new Refusal('ReadModelsBehind')
      }
    },
    catchUp() {
      catchingUp ??= Promise.resolve()
        .then(readToHead)
        .catch(error => {
          catchingUp = undefined
          failed(error)
          throw error
        })
      return catchingUp
    },
    reached: () => written,
    isCurrent: () => !behind && position === log.head(),
    isCurrentFor: stream => !behind || (!damaged && !unwritten.has(stream)),
  }
}
