// Reads due times and runs from the read model, after a start or when the log can be written again.
import type { Log } from '../contract/stored.ts'
import type { Alarm } from '../platform/time/alarm.ts'
import type { Following } from './follow.ts'
import type { CronQueries } from './queries.ts'
import type { Runs } from './runs.ts'
import { storedEnd } from './task-ends.ts'

type Deps = {
  queries: Pick<CronQueries, 'due' | 'open'>
  alarm: Pick<Alarm, 'clear' | 'seen' | 'set'>
  following: Pick<Following, 'clear' | 'add'>
  runs: Pick<Runs, 'end' | 'queued'>
  log: Log
  checkMakers: () => Promise<void>
  isStopped: () => boolean
}

export const createResume =
  ({ queries, alarm, following, runs, log, checkMakers, isStopped }: Deps) =>
  /** May be called several times. */
  async (): Promise<void> => {
    alarm.clear()
    following.clear()
    const open = queries.open()
    for (const { id, job_id, task_id } of open) {
      if (task_id !== null) following.add(task_id, { jobId: job_id, runId: id })
    }
    await checkMakers()
    // Times may have been planned by a clock that was ahead, and was put right while the server was down.
    for await (const [newest] of log.readAll(Math.max(0, log.head() - 1)))
      if (newest) alarm.seen(Date.parse(newest.header.time))
    for (const { id, due_at } of queries.due()) alarm.set(id, due_at)
    // A task may have ended before `following` knew of it. An end that is found here and there is stored only once.
    for (const { id, job_id, task_id } of open) {
      if (isStopped()) return
      const found = task_id === null ? undefined : await storedEnd(log, task_id)
      if (found !== undefined) await runs.end(job_id, id, found)
    }
    for (const jobId of new Set(open.filter(run => run.status === 'queued').map(run => run.job_id))) {
      if (!isStopped()) await runs.queued(jobId)
    }
  }
