// Reports why the log cannot be written. Callers only learn that they shall try again later.
import type { Report } from '../contract/ports.ts'
import type { Store } from './store.ts'

/**
 * Reports the first failed write after the store was opened, or opened again. Later writes fail because of this one. When
 * somebody has moved or cut a file, log-watch.ts reports this.
 */
export const reportingFailures = (store: Store, report: Report): Store => {
  let isReported = false
  const failed = (error: unknown): never => {
    if (!isReported && store.fault() === undefined)
      report('error', 'the event log cannot be written: check the disk. The server tries again by itself', {
        error: String(error),
      })
    isReported = true
    throw error
  }
  return {
    ...store,
    write: batch => store.write(batch).catch(failed),
    writePiece: piece => store.writePiece(piece).catch(failed),
    async reopen() {
      await store.reopen()
      isReported = false
    },
  }
}
