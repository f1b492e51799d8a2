// What the actor of a cron job needs from its surroundings.
import type { CronSettings, Next } from '../../src/contract/cron-events.ts'
import type { Clock } from '../../src/contract/ports.ts'
import type { StreamAppend } from '../../src/contract/stored.ts'
import type { CronView } from '../../src/history/cron-job.ts'

/** The task of a run: the append that creates it, or why the server refuses to create it. */
export type RunTask = { taskId: string; made: StreamAppend } | { error: string; reason: string }

/** The times of a job. `missed`: the times from `first` on that are too long past at `now`, if there are any. */
export type Plans = {
  next(jobId: string, settings: CronSettings, after: number): Next | undefined
  missed(
    settings: CronSettings,
    first: number,
    now: number,
  ): { first: number; last: number; count: number } | undefined
}

export type CronDeps = {
  clock: Clock
  plans: Plans
  /**
   * Prepares the task of a run, in the turn that stores it. `ticket`: the id under which the request of the run
   * is kept. `cause`: the revision of the event that causes the task.
   */
  prepare(ticket: string, view: CronView, runId: string, cause: number): RunTask
}
