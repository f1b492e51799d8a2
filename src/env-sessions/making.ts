// Keeps the creates of sessions that are in progress, so that a retry can wait for the create that it repeats.
import type { FailingLog } from '../contract/stored.ts'

export const createMaking = (log: FailingLog) => {
  /** By principal and body. */
  const making = new Map<string, Set<Promise<unknown>>>()
  return {
    /**
     * Resolves when no create with this name is in progress, and the log shows what earlier ones have stored. Rejects
     * with StorageFailure.
     */
    async over(name: string): Promise<void> {
      for (let works = making.get(name); works !== undefined || log.isFailing(); works = making.get(name))
        await (works === undefined ? log.opened() : Promise.allSettled([...works]))
    },
    add(name: string, work: Promise<unknown>): void {
      const works = making.get(name) ?? new Set()
      making.set(name, works.add(work))
      const over = () => {
        works.delete(work)
        if (works.size === 0 && making.get(name) === works) making.delete(name)
      }
      work.then(over, over)
    },
  }
}
