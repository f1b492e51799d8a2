// Notes whether the read models can be trusted: whether they fold each commit, and whether their tables are undamaged.
import type { Report } from '../src/contract/ports.ts'
import { DamagedEvent, StorageFailure } from '../src/contract/stored.ts'
import { isDamage } from './sums.ts'

/** Whether an error means that the tables contradict the log. Its cause is then neither the disk nor the log. */
const isMisfit = (error: unknown): boolean => {
  if (error instanceof DamagedEvent || error instanceof StorageFailure) return false
  const { code } = error as { code?: string }
  return !code?.startsWith('SQLITE_') || /^SQLITE_CONSTRAINT_(PRIMARYKEY|UNIQUE|ROWID)$/.test(code)
}

/** The read models are trusted at first. */
export const createTrust = (report: Report) => {
  /** Commits are not folded, because of an error or because the log is being read. */
  let behind = false
  /** The tables cannot be trusted until they are rebuilt. */
  let damaged = false
  let mustBeEmptied = false

  const distrust = (error: unknown): void => {
    behind = true
    mustBeEmptied = true
    if (damaged) return
    damaged = true
    report('warn', 'the read models are damaged: they are rebuilt from the log', { error: String(error) })
  }

  return {
    isBehind: () => behind,
    isDamaged: () => damaged,
    mustBeEmptied: () => mustBeEmptied,
    /** Called when the log is being read. */
    fallBehind(): void {
      behind = true
    },
    /** Called when the tables are empty: rows that are written from now on match the log. */
    emptied(): void {
      mustBeEmptied = false
    },
    /**
     * Called when the tables hold all events of the log. Tables that were found damaged meanwhile must be rebuilt
     * first.
     */
    caughtUp(): void {
      behind = damaged = mustBeEmptied
    },
    failed(error: unknown): void {
      const isNews = !behind
      behind = true
      // If the tables contradict the log even after they were rebuilt, then the tables are not the cause.
      if (isDamage(error) || (!damaged && isMisfit(error))) return void distrust(error)
      if (!isNews) return
      report('error', 'the read models stopped: lists answer 503 until they have caught up with the log', {
        error: String(error),
      })
    },
  }
}
export type Trust = ReturnType<typeof createTrust>
