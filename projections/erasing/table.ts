// Removes the content of erased streams from the tables, a few streams at a time: one erasure may have a hundred
// thousand streams. The table `erasing` has the streams that a stored event PayloadsErased names and whose rows may
// still be there. It is written together with the checkpoint, so the work goes on after a start.
import { erasureEvents } from '../../src/contract/decoders/erasure.ts'
import type { Projection } from '../folding.ts'
import type { ReadStore } from '../store.ts'

/** Removes the rows of one stream, or leaves a row without content in their place. Streams of other kinds are ignored. */
export type Eraser = (stream: string) => void

/** The most streams whose rows one slice removes. */
export const streamsAtOnce = 8

/** Whether the free space of the file may have texts of erased streams. */
export const hasTraces = (store: ReadStore): boolean =>
  store.prepare('SELECT 1 FROM traces').get() !== undefined

/** Called on a copy, which has no free space. Content that is still to be removed from it will leave new traces. */
export const endTraces = (copy: ReadStore): void =>
  copy.transaction(() => {
    copy.prepare('DELETE FROM traces WHERE NOT EXISTS (SELECT 1 FROM erasing)').run()
  })()

export const erasingProjection = (store: ReadStore, erasers: readonly Eraser[]): Projection => {
  const add = store.prepare('INSERT INTO erasing (position, streams, done) VALUES (?, ?, 0)')
  const first = store.prepare<[], { position: number; streams: string; done: number }>(
    'SELECT position, streams, done FROM erasing ORDER BY position LIMIT 1',
  )
  const move = store.prepare('UPDATE erasing SET done = ? WHERE position = ?')
  const remove = store.prepare('DELETE FROM erasing WHERE position = ?')
  const noteTraces = store.prepare('INSERT OR IGNORE INTO traces (one) VALUES (1)')
  let found: { position: number; streams: string[] }[] = []
  /** Whether the table may have rows. */
  let isLeft = true

  return {
    fold(events) {
      for (const event of events) {
        const erasure = erasureEvents.find(event)
        if (erasure?.type === 'PayloadsErased')
          found.push({ position: event.position, streams: erasure.data.streams })
      }
    },
    write() {
      for (const { position, streams } of found) add.run(position, JSON.stringify(streams))
      if (found.length > 0) {
        noteTraces.run()
        isLeft = true
      }
      found = []
    },
    hasMore() {
      if (isLeft) isLeft = first.get() !== undefined
      return isLeft
    },
    doMore() {
      const next = first.get()
      if (next === undefined) return
      const streams = JSON.parse(next.streams) as string[]
      const end = Math.min(streams.length, next.done + streamsAtOnce)
      for (const stream of streams.slice(next.done, end)) for (const erase of erasers) erase(stream)
      if (end < streams.length) move.run(end, next.position)
      else remove.run(next.position)
    },
    forget() {
      found = []
      isLeft = true
    },
  }
}
