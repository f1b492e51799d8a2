// Brings the read models to the end of the log, page by page, while commits continue.
import type { Log, Recorded } from '../src/contract/stored.ts'
import { yieldToLoop } from '../src/platform/loop.ts'
import type { Folding } from './folding.ts'

/** When this many events are folded and not written, their rows are written. No query waits for these rows. */
const catchUpEvents = 10_000
/** The number of events on a full page of the log. A page with long events has fewer. */
const pageSize = 1000

type Ways = {
  /** Called at the end of the log, in the turn that compared its head last. */
  onHead?: () => void
  /** The most events that are folded and written in one turn. Absent: many, which is faster. */
  atOnce?: number
}

/** Folds and writes the events of a page, `atOnce` in each turn. */
const takeInSlices = async (page: Recorded[], folding: Folding, atOnce: number): Promise<void> => {
  for (let from = 0; from < page.length; from += atOnce) {
    folding.take(page.slice(from, from + atOnce))
    folding.write(false)
    folding.commit()
    await yieldToLoop()
  }
}

/** Folds and writes every event of the log that is not folded yet. */
export const readToHead = async (log: Log, folding: Folding, { onHead, atOnce }: Ways): Promise<void> => {
  for (const _ of folding.recall()) await yieldToLoop()
  folding.write(true)
  while (folding.position() < log.head()) {
    const before = folding.position()
    for await (const page of log.readAll(before)) {
      if (atOnce !== undefined) {
        await takeInSlices(page, folding, atOnce)
        continue
      }
      folding.take(page)
      // A page with fewer events holds long ones: it is written now, so that it is not in memory beside the next page.
      if (folding.pending() >= catchUpEvents || page.length < pageSize) {
        folding.write(false)
        folding.commit()
      }
      await yieldToLoop()
    }
    if (folding.position() === before) throw new Error(`the log has nothing to read after position ${before}`)
  }
  folding.write(true)
  folding.commit()
  onHead?.() // no commit has come since
}
