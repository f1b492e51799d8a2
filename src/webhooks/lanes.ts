// Lets few requests run at once. Users take turns. Receivers that were slow or failed have places of their own, so that
// requests which only wait for them take no place of another receiver.
import { createFairTurns } from '../fairness/fair-turns.ts'

/** The most requests at once, in all and for one user, to receivers that answer well. */
const fast = { places: 64, perUser: 32 }
/** The same for the other receivers. */
const slow = { places: 64, perUser: 16 }
/** A receiver that took longer than this, in milliseconds, is slow. */
const slowMs = 1000

export const createLanes = () => {
  const lanes = { fast: createFairTurns(fast), slow: createFairTurns(slow) }
  return <Answer>(
    user: string,
    lastMs: number | undefined,
    job: () => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> => {
    const lane = lastMs === undefined || lastMs <= slowMs ? lanes.fast : lanes.slow
    return lane(user, job, signal)
  }
}
export type Lanes = ReturnType<typeof createLanes>
