import type { Timers } from '../contract/ports.ts'

/**
 * While something waits, checks every `ms` milliseconds whether anything has come since the last check. Calls
 * `onSilence` when nothing has come.
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
    /** Called when something has come. */
    heard(): void {
      came++
    },
  }
}
