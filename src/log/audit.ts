// Reads the log as it is stored, for auditors, on its own connection. A page has few events and few bytes, and for each
// page the reader waits for a new turn of the event loop. So reading a long log does not block the server.
import type { AuditTrail } from '../contract/audit.ts'
import { createPages } from './audit/pages.ts'
import { prepareStatements } from './audit/statements.ts'
import { createSummaries } from './audit/summaries.ts'
import type { EventLog } from './log.ts'
import { openForReading } from './sqlite-file.ts'

/**
 * Returns a function that each reader awaits before a page. The function gives each caller a turn of the event loop in
 * which no other reader reads.
 */
const createTurns = () => {
  let turns: Promise<void> = Promise.resolve()
  return (): Promise<void> => {
    turns = turns.then(() => new Promise(resolve => setImmediate(resolve)))
    return turns
  }
}

type Log = Pick<EventLog, 'head' | 'newestOf'>

/** Throws CannotStart. */
export const openAuditTrail = (path: string, log: Log): AuditTrail & { close(): void } => {
  const db = openForReading(path)
  const statements = prepareStatements(db)
  const turn = createTurns()
  const pages = createPages(statements, turn)
  return {
    events(after, { stream, owner }) {
      const end = log.head()
      if (stream !== undefined) return pages.ofStream(stream, after, end, log.newestOf(stream))
      return owner === undefined ? pages.all(after, end) : pages.ofOwner(owner, after, end)
    },
    ...createSummaries(statements, turn, log),
    close() {
      db.close()
    },
  }
}
