// Checks once a second whether the files of the log still exist, whether the log can be written again after a failure,
// and whether the read models are behind the log.
import type { Projector } from '../../projections/projector.ts'
import type { Report, Timers } from '../contract/ports.ts'
import type { EventLog } from '../log/log.ts'

/** Milliseconds between two checks. */
const lookMs = 1000

type Deps = {
  log: Pick<EventLog, 'check' | 'isFailing' | 'retry'>
  projector: Pick<Projector, 'isCurrent' | 'catchUp'>
  timers: Pick<Timers, 'every'>
  report: Report
}

/** Returns a function that stops the watch. */
export const watchLog = ({ log, projector, timers, report }: Deps): (() => void) => {
  let catchingUp = false
  const catchUpAgain = () => {
    if (catchingUp) return
    catchingUp = true
    projector.catchUp().then(
      () => {
        catchingUp = false
        report('warn', 'the read models have caught up')
      },
      () => {
        catchingUp = false
      },
    )
  }
  return timers.every(lookMs, () => {
    const fault = log.check()
    if (fault !== undefined) {
      report('error', `${fault}: nothing more is stored; put the file back, or start the server again`)
    }
    if (log.isFailing()) log.retry().catch(() => {})
    else if (!projector.isCurrent()) catchUpAgain()
  })
}
