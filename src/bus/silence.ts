import type { Timers } from '../contract/ports.ts'

/**
 * Looks every `ms` milliseconds, while something waits, whether anything has come since the last look, and calls
 * `onSilence` when nothing has.
 */
export const createSilenceWatch = (
  timers: Timers,
  ms: number,
  { isWaiting, onSilence }: { isWaiting: () => boolean; onSilence: () => void },
) => {
  let isWatching = false
  let came = 0
  const watch = (): void => {
    if (isWatching) return
    isWatching = true
    const before = came
    timers.after(ms, () => {
      isWatching = false
      if (!isWaiting()) return
      if (came === before) onSilence()
      else watch()
    })
  }
  return {
    watch,
    /** Something came. */
    heard(): void {
      came++
    },
  }
}
