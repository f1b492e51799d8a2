import type { Timers } from '../../contract/ports.ts'

export type SilenceWatch = ReturnType<typeof watchSilence>

/** Calls `abort` when the endpoint has sent nothing for `ms` milliseconds. */
export const watchSilence = (timers: Timers, ms: number, abort: () => void) => {
  let heardAt = 0
  let cancel = () => {}
  const look = (wait: number) => {
    cancel = timers.after(wait, () => {
      const left = heardAt + ms - performance.now()
      if (left > 0) look(Math.ceil(left))
      else abort()
    })
  }
  const heard = () => {
    heardAt = performance.now()
  }
  return {
    begin() {
      heard()
      look(ms)
    },
    heard,
    end: () => cancel(),
  }
}
