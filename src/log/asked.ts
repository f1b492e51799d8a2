import { StorageFailure } from '../contract/stored.ts'
import { isUnreadable } from './store.ts'

/** Turns the error of a store that cannot be read into StorageFailure, since the caller did not cause the damage. */
export const asked = <T>(ask: () => T): T => {
  try {
    return ask()
  } catch (error) {
    if (!isUnreadable(error)) throw error
    throw new StorageFailure('the event log cannot be read, because its file is damaged', { cause: error })
  }
}
