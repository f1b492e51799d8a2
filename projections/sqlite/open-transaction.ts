// The transaction in which rows of the read models are written. It is committed only after many writes, because each
// commit stores every page that has changed.
import type Database from 'better-sqlite3'
import type { Checkpoints } from '../../src/platform/sqlite/checkpoints.ts'
import { takenBack } from './taken-back.ts'

/**
 * The transaction that is open from the first write to the commit. It has no savepoints, because SQLite would write old
 * pages to a temporary file to keep them.
 */
export const openTransaction = (current: () => Database.Database, checkpoints: Checkpoints) => {
  let isOpen = false
  const rollBack = (): void => {
    isOpen = false
    if (current().inTransaction) current().exec('ROLLBACK')
  }
  const mustBeWhole = (): void => {
    if (!isOpen || current().inTransaction) return
    isOpen = false
    throw takenBack()
  }
  return {
    mustBeWhole,
    rollBack,
    write(work: () => void): void {
      mustBeWhole()
      try {
        if (!isOpen) {
          checkpoints.writes()
          current().exec('BEGIN')
          isOpen = true
        }
        work()
      } catch (error) {
        rollBack()
        throw error
      }
    },
    commit(): boolean {
      mustBeWhole()
      if (!isOpen) return false
      try {
        current().exec('COMMIT')
      } catch (error) {
        rollBack()
        throw error
      }
      isOpen = false
      checkpoints.wrote()
      return true
    },
  }
}
