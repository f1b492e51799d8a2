// Writes the rows of the runs of cron jobs.

import type { RecordedCronEvent } from '../../src/contract/decoders/cron.ts'
import { jobIdOf } from '../../src/contract/events/cron-events.ts'
import type { ReadStore } from '../store.ts'

export const runWriter = (store: ReadStore) => {
  const insert = store.prepare(
    `INSERT INTO cron_runs (id, job_id, position, status, task_id, scheduled_at, started_at, ended_at, reason, error,
       skipped_until, skipped_count, manual)
     VALUES (:id, :job, :position, :status, :task, :scheduled, :started, :ended, :reason, :error, :until, :count, :manual)
     ON CONFLICT (id) DO UPDATE SET status = excluded.status, task_id = coalesce(excluded.task_id, task_id),
       started_at = coalesce(excluded.started_at, started_at), ended_at = excluded.ended_at,
       reason = excluded.reason, error = excluded.error`,
  )
  const drop = store.prepare(
    `UPDATE cron_runs SET status = 'skipped', reason = 'deleted', ended_at = ? WHERE job_id = ? AND status = 'queued'`,
  )
  const began = store.prepare('UPDATE cron_jobs SET runs = runs + 1 WHERE id = ?')
  const none = { task: null, started: null, ended: null, reason: null, error: null, until: null, count: null }

  return ({ position, type, header, data }: RecordedCronEvent): void => {
    const job = jobIdOf(header.stream)
    const at = Date.parse(header.time)
    const write = (run: { run_id: string; scheduled_at: number; manual?: true }, fields: object) =>
      insert.run({
        ...none,
        id: run.run_id,
        job,
        position,
        scheduled: run.scheduled_at,
        manual: run.manual === true ? 1 : 0,
        ...fields,
      })
    switch (type) {
      case 'CronJobTriggered':
        write(data, { status: 'running', task: data.task_id, started: at })
        began.run(job)
        return
      case 'CronRunQueued':
        return void write(data, { status: 'queued' })
      case 'CronRunSkipped': {
        const { reason, until = null, count = null } = data
        write(data, { status: 'skipped', ended: at, reason, until, count })
        return
      }
      case 'CronJobCompleted':
        return void write(data, { status: 'completed', ended: at })
      case 'CronJobFailed':
        write(data, { status: 'failed', ended: at, reason: data.reason, error: data.error })
        return
      case 'CronJobDeleted':
        drop.run(at, job)
    }
  }
}
