// Cron jobs and their runs, as answers show them.
import Type, { type Static } from 'typebox'
import { fieldsOf, limits, policies } from './cron-settings.ts'
import { listOf } from './list.ts'
import { OpenObject, optional } from './schema.ts'

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const Iso = Type.String({ format: 'date-time' })

export const runStatuses = ['queued', 'running', 'completed', 'failed', 'skipped'] as const
const orNone = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
export const CronRun = Type.Object({
  run_id: Text,
  task_id: orNone(Text),
  scheduled_at: Iso,
  started_at: orNone(Iso),
  ended_at: orNone(Iso),
  status: Type.Enum([...runStatuses]),
  skipped_reason: optional(Text),
  skipped_until: optional(Iso),
  skipped_count: optional(Count),
  reason: optional(Text),
  error: optional(Text),
  manual: optional(Type.Literal(true)),
})
export type CronRun = Static<typeof CronRun>

export const CronJob = Type.Object({
  job_id: Text,
  user_id: Text,
  name: Text,
  status: Type.Enum(['active', 'paused', 'ended']),
  enabled: Type.Boolean(),
  paused_reason: optional(Text),
  schedule: optional(Text),
  every_seconds: optional(Type.Integer()),
  at: optional(Iso),
  timezone: Text,
  task: OpenObject,
  ...fieldsOf(policies, 'shown'),
  ...fieldsOf(limits, 'shown'),
  created_at: Iso,
  next_run_at: orNone(Iso),
  runs: Count,
  running: Count,
  queued: Count,
  last_run: orNone(CronRun),
})
export type CronJob = Static<typeof CronJob>

export const CronJobList = listOf(CronJob)
export const CronRunList = listOf(CronRun)
export const DeletedCronJob = Type.Object({ status: Type.Literal('deleted'), job_id: Text, message: Text })
export const CronJobMachine = Type.Object({
  machine: OpenObject,
  state: Type.Enum(['active', 'paused', 'ended']),
  value: Text,
  next_events: Type.Array(Text),
})
