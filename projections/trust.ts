// How far the read models can be relied on: whether they take commits in, and whether what their tables say is true.
import type { Report } from '../src/contract/ports.ts'
import { DamagedEvent, StorageFailure } from '../src/contract/stored.ts'
import { isDamage } from './sums.ts'

/** Neither the disk nor the log is at fault: what the tables say does not go with what the log says. */
const isMisfit = (error: unknown): boolean => {
  if (error instanceof DamagedEvent || error instanceof StorageFailure) return false
  const { code } = error as { code?: string }
  return !code?.startsWith('SQLITE_') || /^SQLITE_CONSTRAINT_(PRIMARYKEY|UNIQUE|ROWID)$/.test(code)
}

/** They begin trusted. */
export const createTrust = (report: Report) => {
  /** Commits are not taken in: something went wrong, or the log is being read. */
  let behind = false
  /** Nothing that the tables say is true until they have been made anew. */
  let damaged = false
  let mustBeEmptied = false

  const distrust = (error: unknown): void => {
    behind = true
    mustBeEmptied = true
    if (damaged) return
    damaged = true
    report('warn', 'the read models are damaged, and made anew from the log', { error: String(error) })
  }

  return {
    isBehind: () => behind,
    isDamaged: () => damaged,
    mustBeEmptied: () => mustBeEmptied,
    /** The log is being read. */
    fallBehind(): void {
      behind = true
    },
    /** They are empty: what is written from now on fits. */
    emptied(): void {
      mustBeEmptied = false
    },
    /** They hold what the log holds; those that were found damaged meanwhile are made anew first. */
    caughtUp(): void {
      behind = damaged = mustBeEmptied
    },
    failed(error: unknown): void {
      const isNews = !behind
      behind = true
      // Tables that were made anew and do not fit either are not the ones to blame.
      if (isDamage(error) || (!damaged && isMisfit(error))) return void distrust(error)
      if (!isNews) return
      report('error', 'the read models stopped; lists answer 503 until they caught up', {
        error: String(error),
      })
    },
  }
}
export type Trust = ReturnType<typeof createTrust>
