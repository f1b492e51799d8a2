// Watches how long an endpoint says nothing.
import type { Timers } from '../../contract/ports.ts'

export type SilenceWatch = ReturnType<typeof watchSilence>

/** For this many milliseconds the reader waits for what may follow the end of an answer, such as its usage. */
const lastWordsMs = 2000

/** Calls `abort` when the endpoint has said nothing for `ms` milliseconds. `now`: milliseconds of a steady clock. */
export const watchSilence = (timers: Timers, ms: number, abort: () => void, now: () => number) => {
  let limit = ms
  let isEnding = false
  let heardAt = 0
  let cancel = () => {}
  const look = (wait: number) => {
    cancel = timers.after(wait, () => {
      const left = heardAt + limit - now()
      if (left > 0) look(Math.ceil(left))
      else abort()
    })
  }
  const heard = () => {
    heardAt = now()
  }
  return {
    begin() {
      heard()
      look(ms)
    },
    heard,
    /** The answer is whole: what follows it has little time. */
    lastWords() {
      if (isEnding) return
      isEnding = true
      limit = Math.min(ms, lastWordsMs)
      cancel()
      look(limit)
    },
    end: () => cancel(),
  }
}
