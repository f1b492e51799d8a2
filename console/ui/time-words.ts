// Writes times and durations in few characters.

/** A duration in at most six characters, such as `240 ms`, `3.2 s`, `4 min`, `2 h`, `3 d`. */
export const duration = (ms: number): string => {
  if (ms < 0) return '0 s'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`
  return `${Math.round(ms / 86_400_000)} d`
}

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
export const moment = (ms: number): string => local.format(ms)

const short = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})
/** A day and a time in few characters. */
export const dayAndTime = (ms: number): string => short.format(ms)

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hour12: false,
})
/** The time of day of an event, with milliseconds. */
export const timeOfDay = (ms: number): string => clock.format(ms)

export const count = (n: number): string => n.toLocaleString('en').replaceAll(',', ' ')
