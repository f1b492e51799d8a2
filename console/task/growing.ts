// Keeps the events of a task that are known so far, with the rows and spans made from them, while more events are read.
import { batch, type ReadonlySignal, signal } from '@preact/signals'
import type { Recorded } from '../../src/contract/stored.ts'
import { createJournal } from './journal.ts'
import { createPast } from './past.ts'
import { createRows } from './rows.ts'
import { createSpans } from './spans.ts'

/** While a long history is read, the page is drawn again after this many milliseconds. */
const showMs = 400

export const createGrowing = () => {
  const past = createPast()
  const rows = createRows()
  const journal = createJournal()
  const spans = createSpans(journal)
  /** The number of events so far. `past` and what is made from it are no signals: who shows them must read this signal. */
  const length = signal(0)
  /** Whether there is something to show. */
  const isLoaded = signal(false)

  let shownAt = performance.now()
  const show = () =>
    batch(() => {
      length.value = past.events.length
      isLoaded.value ||= past.events.length > 0
      shownAt = performance.now()
    })
  return {
    past,
    rows,
    journal,
    spans,
    length,
    isLoaded,
    /** Shows the events that `take` has taken. */
    show,
    /** Takes the next events. Shows them if `show` was last called long enough ago. */
    take(stored: readonly Recorded[]): void {
      const before = past.events.length
      past.add(stored)
      for (const event of past.events.slice(before)) {
        rows.add(event)
        journal.add(event)
        spans.add(event)
      }
      if (performance.now() - shownAt > showMs) show()
    },
  }
}

/** What the page knows of a history, and whether it knows all of it. */
export type KnownHistory = Pick<
  ReturnType<typeof createGrowing>,
  'past' | 'rows' | 'journal' | 'spans' | 'length'
> & {
  isWhole: ReadonlySignal<boolean>
}
