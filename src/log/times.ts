// Gives events their times. The time of an event is never earlier than the time of the event before, even if the clock
// goes back.
import type { Clock } from '../contract/ports.ts'

export const createTimes = (clock: Clock) => {
  let millis = 0
  let time = new Date(millis).toISOString()
  return {
    /** Continues after an event with this ISO time; undefined: there is no event yet. */
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
