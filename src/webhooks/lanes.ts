// Limits how many requests run at once. Users take turns. There are two separate limits: one for receivers that
// answered well, one for receivers whose newest try was slow or failed. So requests to slow receivers do not delay
// requests to fast ones.
import { createPlaces } from '../fairness/places.ts'

/** The most requests at once, in all and for one user, to receivers that answer well. */
const fast = { places: 64, perUser: 32 }
/** The same limits for slow and failing receivers. */
const slow = { places: 64, perUser: 16 }
/** A receiver that took longer than this, in milliseconds, is slow. */
const slowMs = 1000

export const createLanes = () => {
  const lanes = { fast: createPlaces(fast), slow: createPlaces(slow) }
  return <Answer>(
    user: string,
    lastMs: number | undefined,
    job: () => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> => {
    const lane = lastMs === undefined || lastMs <= slowMs ? lanes.fast : lanes.slow
    return lane.hold(user, job, signal)
  }
}
export type Lanes = ReturnType<typeof createLanes>
