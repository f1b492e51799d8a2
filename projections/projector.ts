// Runs the projections. They fold events in memory as these are committed. A moment later, or before a query, the
// projector writes their rows together with the checkpoint in one transaction. So a read model can stop at any point
// and continue, and is never ahead of its checkpoint.

import type { Report, Timers } from '../src/contract/ports.ts'
import { Refusal } from '../src/contract/refusals.ts'
import { DamagedEvent, type Log, type Recorded, StorageFailure } from '../src/contract/stored.ts'
import type { ReadStore } from './store.ts'
import { isDamage, isOfFile } from './sums.ts'

export type Projection = {
  /** Folds events, in memory only. */
  fold(events: Recorded[]): void
  /** Writes the changes since the last call. Called in the transaction that moves the checkpoint. */
  write(): void
  /** Drops the state in memory, because it could not be written. */
  forget(): void
}

export type Projector = {
  /** Folds the events of one commit, synchronously, so that readers after the commit see them. Never throws. */
  follow(events: Recorded[]): void
  /**
   * Writes the folded events; with a stream, only if some of them belong to it. Called before each query, so that it sees
   * them.
   */
  flush(stream?: string): void
  /** Runs a query. Throws ReadModelsBehind when the tables cannot be read; damaged tables are rebuilt. */
  reading<T>(ask: () => T): T
  /** Reads the log from the checkpoint to its head, while commits continue. A second call joins the first. */
  catchUp(): Promise<void>
  /** The position up to which the read models are written. */
  reached(): number
  /** Whether the read models hold everything that the log holds. */
  isCurrent(): boolean
  /** Whether they hold all events of one stream, so that it can be read while other streams are not current. */
  isCurrentFor(stream: string): boolean
}

/** Why the read models do not fit this log; undefined when the log has the same leaf at their checkpoint. */
export const misfitOf = (store: ReadStore, log: Log): string | undefined => {
  const at = store
    .prepare<[], { position: number; leaf: string }>('SELECT position, leaf FROM checkpoint')
    .get()
  if (at === undefined || log.leafAt(at.position) === at.leaf) return undefined
  return at.position > log.head()
    ? `they know ${at.position} events, and the log has ${log.head()}: unless it was restored, the others are lost`
    : 'they belong to another log'
}

/** Whether the tables contradict the log, so that neither the disk nor the log is the cause of the error. */
const isMisfit = (error: unknown): boolean => {
  if (error instanceof DamagedEvent || error instanceof StorageFailure) return false
  const { code } = error as { code?: string }
  return !code?.startsWith('SQLITE_') || /^SQLITE_CONSTRAINT_(PRIMARYKEY|UNIQUE|ROWID)$/.test(code)
}

/** Milliseconds until rows are written. Writing rows for many events together costs a fraction. */
const flushMs = 20
const flushEvents = 1000
const catchUpEvents = 10_000
/** Events of a full page of the log; a page of long events has fewer. */
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
  /** Commits are not folded, because something failed or the log is being read. */
  let behind = false
  /** The tables are damaged and must be rebuilt before any query. */
  let damaged = false
  let mustBeEmptied = false
  let catchingUp: Promise<void> | undefined
  /** Streams with events that are not written yet, and the position of the newest one. */
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
  /** After any failure, memory returns to the state of the tables, from which the next `catchUp` continues. */
  const failed = (error: unknown) => {
    const isNews = !behind
    behind = true
    forget()
    // When rebuilt tables do not fit either, the cause is something else.
    if (isDamage(error) || (!damaged && isMisfit(error))) return distrust(error)
    if (!isNews) return
    report('error', 'the read models stopped; lists answer 503 until they caught up', {
      error: String(error),
    })
  }
  const flush = (stream?: string) => {
    if (behind) return // the running catch-up writes
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
        // A page with few events is long, so its rows are written before the next page is read.
        if (position - written >= catchUpEvents || page.length < usualPage) write()
        await new Promise(resolve => setImmediate(resolve)) // other work gets its turn while a long log is read
      }
      if (position === before) throw new Error(`the log has nothing to read after position ${before}`)
    }
    write()
    // In the same turn as the check of the head, so that no commit comes between.
    behind = damaged = mustBeEmptied
    catchingUp = undefined
  }

  return {
    follow(events) {
      if (behind) return note(events)
      const fresh = events.filter(event => event.position > position) // a catch-up may have folded some of them already
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
