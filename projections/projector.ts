// Runs the projections: each batch of events in one transaction with the checkpoint, so a read model can stop
// anywhere and go on, and never be ahead of what it says it is.

import type { Report } from '../src/contract/ports.ts'
import type { Log, Recorded } from '../src/contract/stored.ts'
import type { ReadStore } from './store.ts'

export type Projection = {
  /** Gets ready for a batch, outside the transaction; undefined when nothing is missing. */
  prepare?(events: Recorded[]): Promise<void> | undefined
  apply(events: Recorded[]): void
  /** Drops what it keeps in memory: the transaction that it belonged to did not commit. */
  forget?(): void
}

export type Projector = {
  /** Applies the events of one commit; returns at once unless something must be read first. Never throws. */
  follow(events: Recorded[]): void | Promise<void>
  /** Reads the log from the checkpoint to its head. */
  catchUp(): Promise<void>
  /** Whether the read models hold everything that the log holds. */
  isCurrent(): boolean
  position(): number
}

/** True when the checkpoint stands in this log: the same leaf at the same position. */
export const checkpointFits = (store: ReadStore, log: Log): boolean => {
  const at = store
    .prepare<[], { position: number; leaf: string }>('SELECT position, leaf FROM checkpoint')
    .get()
  return at === undefined || log.leafAt(at.position) === at.leaf
}

export const createProjector = (
  store: ReadStore,
  log: Log,
  projections: Projection[],
  report: Report,
): Projector => {
  const move = store.prepare(
    `INSERT INTO checkpoint (one, position, leaf) VALUES (1, ?, ?)
     ON CONFLICT (one) DO UPDATE SET position = excluded.position, leaf = excluded.leaf`,
  )
  let position = store.prepare<[], number>('SELECT position FROM checkpoint').pluck().get() ?? 0
  let behind = false

  const commit = store.transaction((events: Recorded[], end: number) => {
    for (const projection of projections) projection.apply(events)
    move.run(end, log.leafAt(end) ?? '')
  })

  const apply = (events: Recorded[]): void | Promise<void> => {
    const end = events.at(-1)?.position
    if (end === undefined) return
    const ready = projections.flatMap(projection => projection.prepare?.(events) ?? [])
    const write = () => {
      commit(events, end)
      position = end
    }
    return ready.length === 0 ? write() : Promise.all(ready).then(write)
  }

  const failed = (error: unknown) => {
    behind = true
    for (const projection of projections) projection.forget?.()
    report('error', 'the read models stopped; lists answer 503 until they caught up', {
      error: String(error),
    })
  }

  return {
    follow(events) {
      if (behind || events[0]?.position !== position + 1) {
        behind = true
        return undefined
      }
      try {
        return apply(events)?.catch(failed)
      } catch (error) {
        failed(error)
        return undefined
      }
    },
    async catchUp() {
      for await (const page of log.readAll(position)) await apply(page)
      behind = false
    },
    isCurrent: () => !behind && position === log.head(),
    position: () => position,
  }
}
