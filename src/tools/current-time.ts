// The tool that returns the current time, which a model does not know.
import type { Clock } from '../contract/ports.ts'
import { tool } from './tool.ts'

/** ISO 8601 in seconds, with the offset of the zone. */
const isoIn = (timeZone: string, ms: number): string => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  })
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]))
  const [year, month, day, hour, minute, second] = (
    ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
  ).map(part => parts.get(part))
  const offset = parts.get('timeZoneName')?.replace('GMT', '') || '+00:00'
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`
}

const knownZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

export const currentTime = (clock: Clock) =>
  tool({
    name: 'current_time',
    description: 'Gives the current date and time in ISO 8601 with the offset from UTC.',
    required: {},
    optional: {
      timezone: {
        type: 'string',
        description: 'The name of an IANA time zone, for example Europe/Berlin. UTC when left out.',
      },
    },
    answer({ arguments: args }) {
      const { timezone: zone = 'UTC' } = args as { timezone?: string }
      if (!knownZone(zone)) {
        throw new Error(
          `There is no time zone "${zone.slice(0, 100)}": use an IANA name such as Europe/Berlin`,
        )
      }
      return isoIn(zone, clock.now())
    },
  })
