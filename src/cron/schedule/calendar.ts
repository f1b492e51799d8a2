// The times of a cron pattern in a time zone. The library matches the pattern with local times; this file makes moments
// of them. At a gap of daylight saving, a time in the gap becomes the first moment after it. At an overlap, a pattern
// with fixed hours has its times once. A pattern that runs in every hour runs in both of the repeated hours.
import { Cron } from 'croner'
import { type Zone, zoneOf } from './zone.ts'

const hour = 3_600_000
const second = 1000

/** Returns the first time after a moment; undefined when there is none. */
export type Times = (after: number) => number | undefined

/** Makes the pattern. Throws when it is none. */
const parse = (pattern: string): Cron =>
  new Cron(pattern, { timezone: 'UTC', paused: true, mode: '5-or-6-parts' })

/** Why a pattern cannot be used; undefined: it can. */
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
  // In the repeated hour, all times until the end of the overlap were in the first pass.
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
      from = moment - 24 * hour // nothing is between; the search goes on near the found time
      continue
    }
    const change = zone.changeBetween(from, moment)
    const now = zone.offsetAt(change)
    if (found < change + now) return change // it is in the gap
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
