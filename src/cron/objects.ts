// Makes the objects of cron jobs and runs that answers show.

import type { JobRow, RunRow } from '../../projections/cron/rows.ts'
import type { CronSettings } from '../contract/events/cron-events.ts'
import { readJson } from '../contract/json/exact-json.ts'
import { cronSettings, type SettingName } from '../contract/wire/cron-settings.ts'
import type { CronJob, CronRun } from '../contract/wire.ts'

const iso = (millis: number): string => new Date(millis).toISOString()
const orNull = (millis: number | null): string | null => (millis === null ? null : iso(millis))

/** The settings of the table, as answers show them. */
const shownOf = (settings: CronSettings) =>
  Object.fromEntries(
    cronSettings.flatMap(([name, { form }]) => {
      const value = settings[name]
      if (value === undefined) return []
      return [[name, form === 'time' ? iso(value as number) : value]]
    }),
  ) as Pick<CronJob, SettingName>

export const jobOf = (row: JobRow): CronJob => {
  const settings = readJson(row.settings) as CronSettings
  const { name, schedule, every_seconds, at, timezone, task } = settings
  const { stream: _, background: __, ...shown } = task
  return {
    job_id: row.id,
    user_id: row.user_id,
    name,
    status: row.state as CronJob['status'],
    enabled: row.state === 'active',
    ...(row.paused_reason === null ? {} : { paused_reason: row.paused_reason }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(every_seconds === undefined ? {} : { every_seconds }),
    ...(at === undefined ? {} : { at: iso(at) }),
    timezone,
    task: shown,
    ...shownOf(settings),
    created_at: iso(row.created_at),
    next_run_at: orNull(row.due_at),
    runs: row.runs,
    running: row.running,
    queued: row.queued,
    last_run: row.last_run === null ? null : runOf(row.last_run),
  }
}

export const runOf = (row: RunRow): CronRun => {
  const { status, reason, error } = row
  return {
    run_id: row.id,
    task_id: row.task_id,
    scheduled_at: iso(row.scheduled_at),
    started_at: orNull(row.started_at),
    ended_at: orNull(row.ended_at),
    status,
    ...(status === 'skipped' && reason !== null ? { skipped_reason: reason } : {}),
    ...(row.skipped_until === null ? {} : { skipped_until: iso(row.skipped_until) }),
    ...(row.skipped_count === null ? {} : { skipped_count: row.skipped_count }),
    ...(status === 'failed' && reason !== null ? { reason } : {}),
    ...(error === null ? {} : { error }),
    ...(row.manual === 1 ? { manual: true as const } : {}),
  }
}
