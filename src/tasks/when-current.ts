// Repeats work that has failed because the read models were behind.
import { isBehind } from '../contract/refusals.ts'
import { yieldToLoop } from '../platform/loop.ts'

/** Returns a function that does work. If the read models were behind, it repeats the work after they caught up. */
export const retriedBy =
  (caughtUp: () => Promise<void>, isStopped: () => boolean) =>
  async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!isBehind(error) || isStopped()) throw error
        await caughtUp()
        await yieldToLoop()
      }
    }
  }
