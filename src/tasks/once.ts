// Carries out each request once: a request that repeats an earlier request gets what that request made, and waits while
// that request is still under way.

import type { FailingLog } from '../contract/stored.ts'
import { createKeyedLocks } from './keyed-locks.ts'

/** `named`: the names under which only one request at a time may run. `body`: the principal and the body, as a name. */
type Call = { named: string[]; body: string; isRetry: boolean }

export const createOnce = (log: FailingLog) => {
  const locks = createKeyedLocks()
  /** Runs `create`, unless `earlier` finds what an earlier request made. */
  return async <Made, Found>(
    { named, body, isRetry }: Call,
    earlier: () => Found | undefined,
    create: () => Promise<Made>,
  ): Promise<{ made: Made } | { replay: Found }> => {
    const keys = [...named, body]
    // Only a retry waits for a request with the same body. An equal request that is not marked as a retry is a new one.
    const waitsFor = isRetry ? keys : named
    // After these waits nothing is awaited until the keys are locked. A failed write of an earlier request may have
    // stored its events all the same: `earlier` finds them when the log is open again.
    for (let busy = locks.busy(waitsFor); busy !== undefined || log.isFailing(); busy = locks.busy(waitsFor))
      await (busy ?? log.opened())
    const replay = earlier()
    if (replay !== undefined) return { replay }
    const made = create()
    const unlock = locks.lock(keys, made)
    try {
      return { made: await made }
    } finally {
      unlock()
    }
  }
}
