import { StorageFailure } from '../contract/stored.ts'
import { isCorrupt } from '../platform/sqlite/corrupt.ts'

/** Turns SQLite's error about a damaged file into StorageFailure, since the caller did not cause the damage. */
export const asked = <T>(ask: () => T): T => {
  try {
    return ask()
  } catch (error) {
    if (!isCorrupt(error)) throw error
    throw new StorageFailure('the event log cannot be read, because its file is damaged', { cause: error })
  }
}
