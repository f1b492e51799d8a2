// Cron jobs and their runs.

import { cronSettings } from '../../contract/wire/cron-settings.ts'
import * as wire from '../../contract/wire.ts'
import type { Components } from '../component.ts'
import { listFields } from './list-fields.ts'

const settings = {
  name: 'A name for people. Several jobs may have the same name.',
  task: 'The body with which a run creates its task. It cannot set `stream` to true or set `task_id`.',
  schedule:
    'A cron pattern of 5 fields (minute, hour, day of the month, month, day of the week) or 6 (seconds first), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.',
  every_seconds:
    'Seconds between two runs, counted from the creation of the job or from the change that set this.',
  at: 'The only time at which the job runs (ISO 8601). Without an offset it is a local time of `timezone`.',
  timezone: 'The time zone of `schedule`, such as `Europe/Berlin`. Default: `UTC`.',
  enabled: 'false: the job is paused.',
  ...Object.fromEntries(cronSettings.map(([name, { about }]) => [name, about])),
}

export const cronComponents: Components = {
  CreateCronJobBody: {
    schema: wire.CreateCronJobBody,
    about: 'A request for a new cron job.',
    fields: settings,
  },
  ChangeCronJobBody: { schema: wire.ChangeCronJobBody, about: 'A change of a cron job.', fields: settings },
  CronJob: {
    schema: wire.CronJob,
    about: 'A cron job.',
    fields: {
      ...settings,
      task: 'The body with which a run creates its task. Secret values are shown as `***`.',
      job_id: 'The id of the job.',
      user_id: 'The user who owns the job and its tasks.',
      status: '`active`, `paused`, or `ended`: no further run of the schedule follows.',
      enabled: 'Whether the status is `active`.',
      paused_reason:
        '`paused`: a caller paused the job. `no_valid_token`: all tokens of its maker are revoked or have expired; the job goes on when the maker has one again.',
      created_at: 'When the job was created.',
      next_run_at: 'When the next run of the schedule begins, with its jitter. Null: no such run is planned.',
      runs: 'How many runs have begun.',
      running: 'How many runs are at work.',
      queued: 'How many runs wait.',
      last_run: 'The newest run that completed or failed; null if there is none.',
    },
  },
  CronRun: {
    schema: wire.CronRun,
    about: 'A run of a cron job, or the record of times that were skipped.',
    fields: {
      run_id: 'The id of the run.',
      task_id: 'The task of the run; null while the run waits, and when there is none.',
      scheduled_at: 'The time of the schedule.',
      started_at: 'When the task was created.',
      ended_at: 'When the end of the task was stored.',
      status: '`queued`, `running`, `completed`, `failed` or `skipped`.',
      skipped_reason:
        '`overlap`, `missed`, `queue_full`, or `deleted`: the job was deleted while the run waited.',
      skipped_until: 'The record is for all times from `scheduled_at` to this one.',
      skipped_count: 'The number of times that the record stands for. 1000 means 1000 or more.',
      reason:
        'Why the run failed: `failed`, `canceled` or `expired` if its task ended so; `invalid_task`, `quota` or `secret_missing` if no task was created.',
      error: 'A text that says what went wrong.',
      manual: 'A caller asked for the run.',
    },
  },
  CronJobList: {
    schema: wire.CronJobList,
    about: 'A page of cron jobs.',
    fields: { ...listFields, data: 'The jobs, newest first.' },
  },
  CronRunList: {
    schema: wire.CronRunList,
    about: 'A page of runs.',
    fields: { ...listFields, data: 'The runs, newest first.' },
  },
  CronJobMachine: {
    schema: wire.CronJobMachine,
    about: 'The state machine of a cron job.',
    fields: {
      machine: 'The statechart.',
      state: 'The state of the job.',
      value:
        'The state in the form in which XState writes it. The chart of a cron job has no nested states, so `value` equals `state`.',
      next_events: 'The events that may follow.',
    },
  },
  DeletedCronJob: {
    schema: wire.DeletedCronJob,
    about: 'A cron job that is deleted.',
    fields: { status: 'Always `deleted`.', job_id: 'The id of the job.', message: 'The same in words.' },
  },
}
