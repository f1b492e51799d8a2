// Starts the work that is done at regular times: the rounds over the tasks, and the checks of the log.
import type { Projector } from '../../projections/projector.ts'
import type { Report, World } from '../contract/ports.ts'
import type { EventLog } from '../log/log.ts'
import type { Tasks } from '../tasks/tasks.ts'
import { watchLog } from './log-watch.ts'

/** Milliseconds between two rounds that expire overdue tasks and write the files of ended tasks. */
const sweepMs = 250

type Deps = {
  world: World
  log: EventLog
  tasks: Pick<Tasks, 'sweep'>
  projector: Projector
  report: Report
  onFault: (error: unknown) => void
  /** True: there are no rounds over the tasks. */
  isIdle: boolean
}

/** Returns a function that stops the rounds and the checks. */
export const startTimers = ({
  world,
  log,
  tasks,
  projector,
  report,
  onFault,
  isIdle,
}: Deps): (() => void) => {
  const { timers } = world
  const sweep = () => void tasks.sweep().catch(onFault)
  const stopSweeping = isIdle ? () => {} : timers.every(sweepMs, sweep)
  const stopWatching = watchLog({ log, projector, timers, report })
  return () => {
    stopSweeping()
    stopWatching()
  }
}
