// Stores the output of a call while the call runs. The first text is stored at once. Text that comes soon after a write
// is collected for the next write.
import type { Clock, Timers } from '../../src/contract/ports.ts'

/** The shortest time between two writes, in milliseconds. */
const flushMs = 50
/** At most this many characters of output are stored while the call runs. The result has the whole output. */
const maxStored = 32 << 10

type Deps = {
  clock: Clock
  timers: Timers
  /** Stores the output so far. */
  say: (heard: string) => Promise<unknown>
}

export const createSayer = ({ clock, timers, say }: Deps) => {
  let heard = ''
  let stored = 0
  let isOver = false
  let wroteAt = Number.NEGATIVE_INFINITY
  let writing: Promise<unknown> | undefined
  let cancelTimer: (() => void) | undefined

  const write = () => {
    cancelTimer = undefined
    if (isOver || writing !== undefined || heard.length === stored) return
    wroteAt = clock.now()
    stored = heard.length
    writing = say(heard)
      .catch(() => {}) // the result holds this text too
      .finally(() => {
        writing = undefined
        writeSoon()
      })
  }
  const writeSoon = () => {
    if (isOver || heard.length === stored) return
    cancelTimer ??= timers.after(Math.max(0, wroteAt + flushMs - clock.now()), write)
  }

  return {
    emit(text: string) {
      if (isOver || heard.length >= maxStored) return
      heard = (heard + text).slice(0, maxStored)
      writeSoon()
    },
    /** Ends the writes. Output that was not stored is part of the result. */
    end() {
      isOver = true
      cancelTimer?.()
    },
    heard: () => heard,
  }
}
