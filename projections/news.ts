// Keeps the streams with events that the tables may lack, each with the position of its newest event.
import type { Recorded } from '../src/contract/stored.ts'

export const createNews = () => {
  /** Events whose rows are not written yet. */
  const unwritten = new Map<string, number>()
  /** Events whose rows are written but not committed. */
  const uncommitted = new Map<string, number>()
  /** The tables may lack events of any stream up to this position. */
  let lackedUpTo = 0

  /** Records that events of this stream up to a position are not written, unless newer ones are recorded. */
  const addOlder = (stream: string, newest: number): void => {
    if (!unwritten.has(stream)) unwritten.set(stream, newest)
  }

  /** Records that the tables hold all events up to a position, unless they are recorded here. */
  const reached = (position: number): void => {
    if (position >= lackedUpTo) lackedUpTo = 0
  }

  return {
    has: (stream: string): boolean => lackedUpTo > 0 || unwritten.has(stream),
    isUncommitted: (stream: string): boolean => uncommitted.has(stream),
    isEmpty: (): boolean => unwritten.size === 0,
    /** Records that these events are not written. */
    note(events: Recorded[]): void {
      for (const { position, header } of events) unwritten.set(header.stream, position)
    },
    addOlder,
    reached,
    /** Records that rows are written up to a position. `isLeftOut`: whether the write left out events of a stream. */
    written(position: number, isLeftOut: (stream: string) => boolean): void {
      reached(position)
      for (const [stream, newest] of unwritten) {
        if (newest > position || isLeftOut(stream)) continue
        unwritten.delete(stream)
        uncommitted.set(stream, newest)
      }
    },
    /** Records that older tables took the place of those that were written up to a position. */
    lackAll(position: number): void {
      lackedUpTo = Math.max(lackedUpTo, position)
    },
    committed: () => uncommitted.clear(),
    /** Records that rows may be lost that were not committed. */
    lost(): void {
      for (const [stream, newest] of uncommitted) addOlder(stream, newest)
      uncommitted.clear()
    },
  }
}
