// Runs the projections. Events are taken in as they are committed and written down together a moment later, or
// when somebody wants to read: rows and checkpoint in one transaction, so a read model can stop anywhere and go
// on, and never be ahead of what it says it is.

import type { Report, Timers } from '../src/contract/ports.ts'
import { Refusal } from '../src/contract/refusals.ts'
import type { Log, Recorded } from '../src/contract/stored.ts'
import { emptyReadStore, type ReadStore } from './store.ts'
import { isDamage } from './sums.ts'

export type Projection = {
  /** Gets ready for events, once everything before them is written; undefined when nothing is missing. */
  prepare?(events: Recorded[]): Promise<void> | undefined
  /** Takes events in, in memory alone. */
  fold(events: Recorded[]): void
  /** Writes down what has changed since the last time; called in the transaction that moves the checkpoint. */
  write(): void
  /** Drops what it keeps in memory: what it took in could not be written. */
  forget(): void
}

export type Projector = {
  /** Takes in the events of one commit; returns at once unless something must be read first. Never throws. */
  follow(events: Recorded[]): void | Promise<void>
  /** Writes down what was taken in. Whoever reads the tables asks for it first, so they read what was written. */
  flush(): void
  /** Asks the tables. Throws ReadModelsBehind when they are found damaged: they are made anew. */
  reading<T>(ask: () => T): T
  /** Reads the log from the checkpoint to its head. */
  catchUp(): Promise<void>
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
  let behind = false
  /** Nothing that the tables say is true; the next `catchUp` makes them anew. */
  let damaged = false
  /** Streams with events that are not written yet. */
  const unwritten = new Set<string>()
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
    unwritten.clear()
  }

  const take = (events: Recorded[]): void | Promise<void> => {
    const end = events.at(-1)?.position
    if (end === undefined) return
    const fold = () => {
      for (const { header } of events) unwritten.add(header.stream)
      for (const projection of projections) projection.fold(events)
      position = end
    }
    const ready = projections.flatMap(projection => projection.prepare?.(events) ?? [])
    return ready.length === 0 ? fold() : Promise.all(ready).then(fold)
  }

  const forget = () => {
    position = written
    for (const projection of projections) projection.forget()
  }
  const distrust = (error: unknown) => {
    behind = true
    if (damaged) return
    damaged = true
    report('warn', 'the read models are damaged, and made anew from the log', { error: String(error) })
  }
  const failed = (error: unknown) => {
    behind = true
    forget()
    if (isDamage(error)) return distrust(error)
    report('error', 'the read models stopped; lists answer 503 until they caught up', {
      error: String(error),
    })
  }
  const flush = () => {
    try {
      write()
    } catch (error) {
      failed(error)
    }
  }
  const soon = () => {
    if (position - written >= flushEvents) flush()
    else flushLater ??= timers.after(flushMs, flush)
  }

  return {
    follow(events) {
      if (behind || events[0]?.position !== position + 1) {
        behind = true
        for (const { header } of events) unwritten.add(header.stream)
        return undefined
      }
      try {
        const taken = take(events)
        if (taken !== undefined) return taken.then(soon).catch(failed)
        return soon()
      } catch (error) {
        return failed(error)
      }
    },
    flush,
    reading(ask) {
      try {
        return ask()
      } catch (error) {
        if (!isDamage(error)) throw error
        distrust(error)
        throw new Refusal('ReadModelsBehind')
      }
    },
    async catchUp() {
      if (damaged) {
        emptyReadStore(store)
        written = 0
        forget()
      }
      write()
      for await (const page of log.readAll(position)) {
        await take(page)
        if (position - written >= catchUpEvents) write()
      }
      write()
      behind = damaged = false
    },
    isCurrent: () => !behind && position === log.head(),
    isCurrentFor: stream => !behind || (!damaged && !unwritten.has(stream)),
  }
}
