// The operations on cron jobs and their runs.
import Type from 'typebox'
import { limits } from '../../contract/wire/cron-settings.ts'
import * as wire from '../../contract/wire.ts'
import { defineOperations, json, type Parameter } from '../operation.ts'
import { header, pages, query, short, text } from '../parameters.ts'

const jobId: Parameter = { in: 'path', name: 'job_id', schema: text, about: 'The cron job.' }
const keyOf = (what: string): Parameter =>
  header(
    'Idempotency-Key',
    short,
    `Identifies the request. If the key was used within the last 24 hours, the server returns the ${what} of the earlier request.`,
  )
const retryCountOf = (what: string): Parameter =>
  header(
    'X-Stainless-Retry-Count',
    Type.Integer({ minimum: 0 }),
    `More than 0: this request is a retry, and the server returns the ${what} of the earlier request with the same body, if that one came within the last 10 minutes.`,
  )

const job = {
  job_id: 'cron_01',
  user_id: 'default',
  name: 'morning report',
  status: 'active',
  enabled: true,
  schedule: '0 7 * * MON-FRI',
  timezone: 'Europe/Berlin',
  task: { user_message_content: 'Write the morning report.' },
  missed: 'run_once',
  overlap: 'skip',
  jitter_seconds: 0,
  created_at: '2026-11-20T08:00:00.000Z',
  next_run_at: '2026-11-23T06:00:00.000Z',
  runs: 0,
  running: 0,
  queued: 0,
  last_run: null,
}
const run = {
  run_id: 'run_01',
  task_id: 'task_01',
  scheduled_at: '2026-11-23T06:00:00.000Z',
  started_at: '2026-11-23T06:00:00.004Z',
  ended_at: null,
  status: 'running',
}
const answers = (about: string, schema: typeof wire.CronJob | typeof wire.CronRun, example: object) => [
  { status: 200 as const, about, type: json, schema, examples: { one: example } },
]
/** The answers of a request that may be a retry. */
const answersOnce = (...given: Parameters<typeof answers>) =>
  answers(...given).map(answer => ({ ...answer, headers: ['Idempotency-Replayed' as const] }))
const common = { tag: 'Cron jobs' as const }
const removable = Object.keys(limits)
  .map(name => `\`${name}\``)
  .join(' or ')

export const cronOperations = defineOperations({
  createCronJob: {
    ...common,
    method: 'POST',
    path: '/v1/cron/jobs',
    access: 'write',
    summary: 'Create a cron job',
    about:
      'The server creates a task from `task` at each time of the schedule. Exactly one of `schedule`, `every_seconds` and `at` says when. The job acts as the token that made it, and is paused while the user of that token has no valid token. If the `Idempotency-Key` was used with another body, the server refuses the request (409).',
    parameters: [keyOf('job'), retryCountOf('job')],
    body: {
      schema: wire.CreateCronJobBody,
      examples: {
        daily: {
          summary: 'Each working day at seven',
          value: {
            name: 'morning report',
            schedule: '0 7 * * MON-FRI',
            timezone: 'Europe/Berlin',
            missed: 'run_once',
            task: { user_message_content: 'Write the morning report.' },
          },
        },
        often: {
          summary: 'Every five minutes',
          value: { name: 'check', every_seconds: 300, task: { user_message_content: 'Check the inbox.' } },
        },
      },
    },
    answers: answersOnce('The job.', wire.CronJob, job),
    refusals: ['Conflict', 'OverQuota'],
  },
  listCronJobs: {
    ...common,
    method: 'GET',
    path: '/v1/cron/jobs',
    access: 'read',
    summary: 'List cron jobs',
    about: 'The jobs that the token reaches, newest first.',
    parameters: [
      ...pages(100, 10, 'jobs'),
      query('user_id', text, 'Only jobs of this user.'),
      query('status', Type.Enum(['active', 'paused', 'ended']), 'Only jobs with this status.'),
    ],
    answers: [
      {
        status: 200,
        about: 'The jobs.',
        type: json,
        schema: wire.CronJobList,
        examples: { one: { object: 'list', data: [job], has_more: false, next_cursor: null } },
      },
    ],
  },
  getCronJob: {
    ...common,
    method: 'GET',
    path: '/v1/cron/jobs/{job_id}',
    access: 'read',
    summary: 'Get a cron job',
    about: 'The settings of the job, its status, and when it runs next.',
    parameters: [jobId],
    answers: answers('The job.', wire.CronJob, job),
    refusals: ['CronJobNotFound'],
  },
  changeCronJob: {
    ...common,
    method: 'PATCH',
    path: '/v1/cron/jobs/{job_id}',
    access: 'write',
    summary: 'Change a cron job',
    about: `Changes the given fields. One of \`schedule\`, \`every_seconds\` and \`at\` replaces the others. A null removes ${removable}. Runs that have begun continue. A job that has ended resumes when it has a time again.`,
    parameters: [jobId],
    body: {
      schema: wire.ChangeCronJobBody,
      examples: { later: { summary: 'An hour later', value: { schedule: '0 8 * * MON-FRI' } } },
    },
    answers: answers('The job.', wire.CronJob, { ...job, schedule: '0 8 * * MON-FRI' }),
    refusals: ['CronJobNotFound'],
  },
  deleteCronJob: {
    ...common,
    method: 'DELETE',
    path: '/v1/cron/jobs/{job_id}',
    access: 'write',
    summary: 'Delete a cron job',
    about:
      'No further run begins, and waiting runs are dropped. A task that works continues. The events of the job stay in the log, for auditors.',
    parameters: [jobId],
    answers: [
      {
        status: 200,
        about: 'The job is deleted.',
        type: json,
        schema: wire.DeletedCronJob,
        examples: {
          deleted: { status: 'deleted', job_id: 'cron_01', message: 'cron job cron_01 is deleted' },
        },
      },
    ],
    refusals: ['CronJobNotFound'],
  },
  pauseCronJob: {
    ...common,
    method: 'POST',
    path: '/v1/cron/jobs/{job_id}/pause',
    access: 'write',
    summary: 'Pause a cron job',
    about: 'No run begins until the job is resumed, except by a trigger. A task that works continues.',
    parameters: [jobId],
    answers: answers('The job.', wire.CronJob, {
      ...job,
      status: 'paused',
      enabled: false,
      next_run_at: null,
    }),
    refusals: ['CronJobNotFound'],
  },
  resumeCronJob: {
    ...common,
    method: 'POST',
    path: '/v1/cron/jobs/{job_id}/resume',
    access: 'write',
    summary: 'Resume a cron job',
    about:
      'The job runs again at the next time of its schedule. Times that passed while it was paused are not made up for. If the tokens of its maker have been revoked, the job acts as the caller from now on.',
    parameters: [jobId],
    answers: answers('The job.', wire.CronJob, job),
    refusals: ['CronJobNotFound', 'Conflict'],
  },
  triggerCronJob: {
    ...common,
    method: 'POST',
    path: '/v1/cron/jobs/{job_id}/trigger',
    access: 'write',
    summary: 'Run a cron job now',
    about:
      'Begins a run at once, also while the job is paused. When a run is at work, the job’s `overlap` decides: the new run waits, begins all the same, or is refused (409). The run does not count for `max_runs`.',
    parameters: [jobId, keyOf('run'), retryCountOf('run')],
    answers: answersOnce('The run.', wire.CronRun, run),
    refusals: ['CronJobNotFound', 'Conflict'],
  },
  getCronJobMachine: {
    ...common,
    method: 'GET',
    path: '/v1/cron/jobs/{job_id}/machine',
    access: 'read',
    summary: 'Get the state machine of a cron job',
    about: 'The statechart, the present state of the job in it, and the events that may follow.',
    parameters: [jobId],
    answers: [{ status: 200, about: 'The state machine.', type: json, schema: wire.CronJobMachine }],
    refusals: ['CronJobNotFound'],
  },
  listCronRuns: {
    ...common,
    method: 'GET',
    path: '/v1/cron/jobs/{job_id}/runs',
    access: 'read',
    summary: 'List the runs of a cron job',
    about: 'The runs, newest first, and the records of times that were skipped.',
    parameters: [jobId, ...pages(100, 10, 'runs')],
    answers: [
      {
        status: 200,
        about: 'The runs.',
        type: json,
        schema: wire.CronRunList,
        examples: { one: { object: 'list', data: [run], has_more: false, next_cursor: null } },
      },
    ],
    refusals: ['CronJobNotFound'],
  },
})
