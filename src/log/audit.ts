// Reads the log as it is stored, for auditors, beside the running log. A page has few events and few bytes, and for each
// page the reader waits for a new turn of the event loop. So reading a long log does not block the server.
import type { AuditTrail } from '../contract/audit.ts'
import { yieldToLoop } from '../platform/loop.ts'
import { createTurns } from '../platform/turns.ts'
import { createAuditPages } from './audit/pages.ts'
import { createSummaries } from './audit/summaries.ts'
import { openAuditRows } from './chosen-storage.ts'
import type { EventLog } from './log.ts'

type Log = Pick<EventLog, 'head' | 'newestOf'>

/** Throws CannotStart. */
export const openAuditTrail = (place: string, log: Log): AuditTrail & { close(): Promise<void> } => {
  const rows = openAuditRows(place)
  const turns = createTurns()
  /** Each reader awaits this before a page: it gets a turn of the event loop in which no other reader reads. */
  const turn = () => turns(yieldToLoop)
  const pages = createAuditPages(rows, turn)
  return {
    events(after, { stream, owner }) {
      const end = log.head()
      if (stream !== undefined) return pages.ofStream(stream, after, end, log.newestOf(stream))
      return owner === undefined ? pages.all(after, end) : pages.ofOwner(owner, after, end)
    },
    ...createSummaries(rows, turn, log),
    close: () => rows.close(),
  }
}
