// The times of a cron pattern in a time zone. The library matches the pattern with local times; this file converts them
// to moments. A local time that daylight saving skips becomes the first moment after the gap. When daylight saving
// repeats an hour, a pattern with fixed hours has its times only once; a pattern that runs in every hour runs in both
// hours.
import { Cron } from 'croner'
import { type Zone, zoneOf } from './zone.ts'

const hour = 3_600_000
const second = 1000

/** Returns the first time after a moment; undefined when there is none. */
export type Times = (after: number) => number | undefined

/** Parses a pattern. Throws when the pattern is invalid. */
const parse = (pattern: string): Cron =>
  new Cron(pattern, { timezone: 'UTC', paused: true, mode: '5-or-6-parts' })

/** Says why a pattern cannot be used. Undefined: it can be used. */
export const patternProblem = (pattern: string, now: number): string | undefined => {
  try {
    return parse(pattern).nextRun(new Date(now)) === null
      ? 'This schedule has no time in the future'
      : undefined
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return `This is no schedule of 5 or 6 fields, or of a form such as @hourly: ${why.replace(/^CronPattern: /, '')}`
  }
}

/** Whether the pattern runs in every hour of its days. */
const isHourly = (pattern: string): boolean => {
  const fields = pattern.trim().split(/\s+/)
  if (fields.length === 1) return fields[0]?.toLowerCase() === '@hourly'
  const hours = fields.at(-4)
  return hours === '*' || hours === '*/1' || hours === '0-23'
}

/** The next time of a pattern with fixed hours. */
const nextFixed = (match: Times, zone: Zone, after: number): number | undefined => {
  const local = after + zone.offsetAt(after)
  const first = zone.momentOf(local)
  // In the second pass of a repeated hour no time is left: all its times were in the first pass.
  const isRepeated = first < after && first + zone.offsetAt(first) === local
  const change = isRepeated ? zone.changeBetween(first, after) : after
  let found = match(isRepeated ? change + zone.offsetAt(first) - second : local)
  while (found !== undefined && zone.momentOf(found) <= after) found = match(found)
  return found === undefined ? undefined : zone.momentOf(found)
}

/** The next time of a pattern that runs in every hour. */
const nextHourly = (match: Times, zone: Zone, after: number): number | undefined => {
  for (let from = after; ; ) {
    const offset = zone.offsetAt(from)
    const found = match(from + offset)
    if (found === undefined) return undefined
    const moment = found - offset
    if (zone.offsetAt(moment) === offset) return moment
    if (moment - from > 25 * hour) {
      from = moment - 24 * hour // no time is in between, so the search continues a day before
      continue
    }
    const change = zone.changeBetween(from, moment)
    const now = zone.offsetAt(change)
    if (found < change + now) return change // the found local time is in the gap
    const later = now > offset ? found : match(change + now - second)
    return later === undefined ? undefined : later - now
  }
}

export const timesOf = (pattern: string, timezone: string): Times => {
  const cron = parse(pattern)
  const zone = zoneOf(timezone)
  const match: Times = local => cron.nextRun(new Date(local))?.getTime()
  return isHourly(pattern) ? after => nextHourly(match, zone, after) : after => nextFixed(match, zone, after)
}
