// What the actor of a cron job needs from its surroundings.
import type { CronSettings, Next } from '../../src/contract/events/cron-events.ts'
import type { Clock } from '../../src/contract/ports.ts'
import type { StreamAppend } from '../../src/contract/stored.ts'
import type { CronView } from '../../src/history/cron-job.ts'

/** The task of a run: the append that creates it, still without its cause, or why the server refuses to create it. */
export type RunTask =
  | { taskId: string; made: Omit<StreamAppend, 'causation_id'> }
  | { error: string; reason: string }

/** The times of a job. `missed`: the times from `first` on that are too long past at `now`, if there are any. */
export type Plans = {
  next(jobId: string, settings: CronSettings, after: number): Next | undefined
  missed(
    settings: CronSettings,
    first: number,
    now: number,
  ): { first: number; last: number; count: number } | undefined
}

/** What a decision knows besides the job and the command. `task`: the task of the run that begins, if one begins. */
export type At = { now: number; plans: Plans; task: RunTask | undefined }

export type CronDeps = {
  clock: Clock
  plans: Plans
  /**
   * Prepares the task of a run that begins in this turn: it takes the user's quota and a place, and keeps the secrets.
   * `ticket`: the id under which the request of the run is kept.
   */
  prepare(ticket: string, view: CronView, runId: string): RunTask
  /** Gives back what an earlier try of this turn has prepared, since no run begins after all. */
  discard(ticket: string): void
}
