// What a call says while it runs, gathered and stored as it comes. The first text is stored at once, what follows closely
// travels together.

import type { Clock, Timers } from '../../src/contract/ports.ts'

const flushMs = 50
/** Text is stored as it comes up to this length. What is longer stands in the result alone. */
const mostSaid = 32 << 10

type Deps = {
  clock: Clock
  timers: Timers
  /** Stores what was said so far. */
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
      .catch(() => {}) // the result says it again
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
      if (isOver || heard.length >= mostSaid) return
      heard = (heard + text).slice(0, mostSaid)
      writeSoon()
    },
    /** Nothing more is stored; what was not is part of the result. */
    end() {
      isOver = true
      cancelTimer?.()
    },
    heard: () => heard,
  }
}
