// Times that go on while somebody looks at them.
import { signal } from '@preact/signals'
import { duration, moment } from './time-words.ts'

export { count, dayAndTime, duration, moment, timeOfDay } from './time-words.ts'

/** The present time in milliseconds, updated once a second. */
export const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, 1000)

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
