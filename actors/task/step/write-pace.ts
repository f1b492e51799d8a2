// Decides when streamed text is stored. All steps that stream store their text at the same moments, so that one commit
// holds the text of many. The moments are close together while few steps stream, and further apart while many do, since
// each write of a step is an event of its own.
import type { Clock } from '../../../src/contract/ports.ts'

/** Milliseconds between two moments: with few steps, and with many. */
const shortestMs = 10
const longestMs = 50
/** Milliseconds that each streaming step adds. Up to 33 steps the time is the shortest, from 166 on the longest. */
const msForEach = 0.3

export const createWritePace = ({ now }: Clock) => {
  let streaming = 0
  const between = () => Math.round(Math.min(longestMs, Math.max(shortestMs, streaming * msForEach)))
  return {
    /** Counts a step that begins to stream. */
    join: (): void => void streaming++,
    /** Ends the count of a step that has stopped streaming. */
    leave: (): void => void streaming--,
    /** Milliseconds until a step whose last write was at `wroteAt` may write again; 0: now. */
    wait(wroteAt: number): number {
      const [at, ms] = [now(), between()]
      return wroteAt + ms <= at ? 0 : ms - (at % ms)
    },
  }
}
export type WritePace = ReturnType<typeof createWritePace>
