// Brings the read models to the end of the log, page by page, while commits continue.
import type { Log } from '../src/contract/stored.ts'
import type { Intake } from './intake.ts'

/** When this many events are folded and not written, their rows are written. No query waits for these rows. */
const catchUpEvents = 10_000
/** The number of events on a full page of the log. A page with long events has fewer. */
const pageSize = 1000

/** Other work gets a turn of the event loop. */
const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Folds and writes every event of the log that is not folded yet. Calls `onHead` at the end of the log. */
export const readToHead = async (log: Log, intake: Intake, onHead: () => void): Promise<void> => {
  for (const _ of intake.recall()) await nextTurn()
  intake.write(true)
  while (intake.position() < log.head()) {
    const before = intake.position()
    for await (const page of log.readAll(before)) {
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
  onHead() // still in the turn that compared the head last, so no commit has come since
}
