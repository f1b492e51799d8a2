import { StorageFailure } from '../contract/stored.ts'
import { isCorrupt } from '../platform/sqlite/corrupt.ts'

/** What SQLite cannot read is no fault of whoever asks. */
export const asked = <T>(ask: () => T): T => {
  try {
    return ask()
  } catch (error) {
    if (!isCorrupt(error)) throw error
    throw new StorageFailure('the event log cannot be read', { cause: error })
  }
}
