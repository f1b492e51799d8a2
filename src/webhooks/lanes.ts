// Lets few requests run at once. Users take turns. Receivers that were slow or failed have places of their own, so that
// requests which only wait for them take no place of another receiver.
import { createFairTurns } from '../fairness/fair-turns.ts'

/** The most requests at once, in all and for one user, to receivers that answer well. */
const usual = { most: 64, mostOfOne: 32 }
/** The same for the other receivers. */
const troubled = { most: 64, mostOfOne: 16 }
/** A receiver that took longer than this, in milliseconds, is slow. */
const slowMs = 1000

export const createLanes = () => {
  const lanes = { usual: createFairTurns(usual), troubled: createFairTurns(troubled) }
  return <Answer>(
    user: string,
    lastMs: number | undefined,
    job: () => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> => {
    const lane = lastMs === undefined || lastMs <= slowMs ? lanes.usual : lanes.troubled
    return lane(user, job, signal)
  }
}
export type Lanes = ReturnType<typeof createLanes>
