// The times of events: never earlier than that of the event before, whatever the clock does.
import type { Clock } from '../contract/ports.ts'

export const createTimes = (clock: Clock) => {
  let millis = 0
  let time = new Date(millis).toISOString()
  return {
    /** Goes on behind an event of this ISO time; undefined: there is none yet. */
    begin(last: string | undefined): void {
      millis = last === undefined ? 0 : Date.parse(last)
      time = new Date(millis).toISOString()
    },
    /** ISO time of the next event. */
    next(): string {
      const now = clock.now()
      if (now > millis) {
        millis = now
        time = new Date(now).toISOString()
      }
      return time
    },
  }
}
