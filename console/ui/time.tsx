// Writes times and durations in few characters.
import { signal } from '@preact/signals'

/** The present time in milliseconds, updated once a second. */
export const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, 1000)

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

/** How long ago a time (milliseconds) was. The whole time is in the title. */
export const Ago = ({ at }: { at: number }) => {
  const age = now.value - at
  return (
    <time dateTime={new Date(at).toISOString()} title={moment(at)}>
      {age < 2000 ? 'now' : `${duration(age)} ago`}
    </time>
  )
}

/** How long it is until a time (milliseconds). The whole time is in the title. */
export const In = ({ at }: { at: number }) => {
  const left = at - now.value
  return (
    <time dateTime={new Date(at).toISOString()} title={moment(at)}>
      {left < 1000 ? 'now' : `in ${duration(Math.floor(left / 1000) * 1000)}`}
    </time>
  )
}

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
