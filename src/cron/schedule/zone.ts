// The local time of a time zone, from the zone data of the runtime. A local time is written as if it were UTC: the
// milliseconds of 02:30 local time are the milliseconds of 02:30 UTC on the same day.
import { formatOf } from './zone-format.ts'

const day = 24 * 3_600_000

export type Zone = {
  /** The local time at a moment minus that moment, in milliseconds. */
  offsetAt(moment: number): number
  /** The moment of a local time. In a repeated hour: the first of two. In a gap: the first moment after the gap. */
  momentOf(local: number): number
  /** The first moment after `from` with another offset than at `from`. The offset at `to` must be another one. */
  changeBetween(from: number, to: number): number
}

export const zoneOf = (name: string): Zone => {
  const format = formatOf(name)
  const offsetAt = (moment: number): number => {
    const whole = Math.floor(moment / 1000) * 1000
    const of: Record<string, number> = {}
    for (const { type, value } of format.formatToParts(whole)) of[type] = Number(value)
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = of
    return Date.UTC(year, month - 1, day, hour, minute, second) - whole
  }
  const changeBetween = (from: number, to: number): number => {
    const before = offsetAt(from)
    let [same, other] = [from, to]
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2)
      if (offsetAt(middle) === before) same = middle
      else other = middle
    }
    return other
  }
  return {
    offsetAt,
    changeBetween,
    momentOf(local) {
      // No zone changes its offset twice within two days.
      const [before, after] = [local - day, local + day]
      const candidates = [local - offsetAt(before), local - offsetAt(after)]
      const real = candidates.filter(moment => moment + offsetAt(moment) === local)
      return real.length > 0 ? Math.min(...real) : changeBetween(before, after)
    },
  }
}
