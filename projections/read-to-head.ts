// Brings the read models to the end of the log, page by page, while commits continue.
import type { Log, Recorded } from '../src/contract/stored.ts'
import type { Intake } from './intake.ts'

/** When this many events are folded and not written, their rows are written. No query waits for these rows. */
const catchUpEvents = 10_000
/** The number of events on a full page of the log. A page with long events has fewer. */
const pageSize = 1000

/** Other work gets a turn of the event loop. */
const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

type Ways = {
  /** Called at the end of the log, in the turn that compared its head last. */
  onHead?: () => void
  /** The most events that are folded and written in one turn. Absent: many, which is faster. */
  atOnce?: number
}

/** Folds and writes the events of a page, `atOnce` in each turn. */
const takeInSlices = async (page: Recorded[], intake: Intake, atOnce: number): Promise<void> => {
  for (let from = 0; from < page.length; from += atOnce) {
    intake.take(page.slice(from, from + atOnce))
    intake.write(false)
    intake.commit()
    await nextTurn()
  }
}

/** Folds and writes every event of the log that is not folded yet. */
export const readToHead = async (log: Log, intake: Intake, { onHead, atOnce }: Ways): Promise<void> => {
  for (const _ of intake.recall()) await nextTurn()
  intake.write(true)
  while (intake.position() < log.head()) {
    const before = intake.position()
    for await (const page of log.readAll(before)) {
      if (atOnce !== undefined) {
        await takeInSlices(page, intake, atOnce)
        continue
      }
      intake.take(page)
      // A page with fewer events holds long ones: it is written now, so that it is not in memory beside the next page.
      if (intake.pending() >= catchUpEvents || page.length < pageSize) {
        intake.write(false)
        intake.commit()
      }
      await nextTurn()
    }
    if (intake.position() === before) throw new Error(`the log has nothing to read after position ${before}`)
  }
  intake.write(true)
  intake.commit()
  onHead?.() // no commit has come since
}
