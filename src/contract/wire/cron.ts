// Cron jobs: the bodies of requests, and the objects in answers.
import Type, { type Static } from 'typebox'
import { missedPolicies, overlapPolicies } from './cron-policies.ts'
import { OpenObject, optional, orNull } from './schema.ts'
import { CreateTaskBody } from './task-requests.ts'

/** The longest interval and the longest jitter, in seconds: ten years, and a day. */
const longestInterval = 315_360_000
const longestJitter = 86_400

const Name = Type.String({ minLength: 1, maxLength: 256 })
const Time = Type.String({ minLength: 1, maxLength: 64 })
/** A create whose `stream` may be absent: nobody waits for the answer of a run. */
const JobTask = Type.Object({ ...CreateTaskBody.properties, stream: orNull(Type.Boolean()) })

const settings = {
  schedule: orNull(Type.String({ minLength: 1, maxLength: 256 })),
  every_seconds: orNull(Type.Integer({ minimum: 1, maximum: longestInterval })),
  at: orNull(Time),
  timezone: orNull(Type.String({ minLength: 1, maxLength: 64 })),
  missed: orNull(Type.Enum([...missedPolicies])),
  overlap: orNull(Type.Enum([...overlapPolicies])),
  jitter_seconds: orNull(Type.Integer({ minimum: 0, maximum: longestJitter })),
  enabled: orNull(Type.Boolean()),
  ends_at: orNull(Time),
  max_runs: orNull(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
}
export const CreateCronJobBody = Type.Object({ name: Name, task: JobTask, ...settings })
export type CreateCronJobBody = Static<typeof CreateCronJobBody>
export const ChangeCronJobBody = Type.Object({ name: orNull(Name), task: orNull(JobTask), ...settings })
export type ChangeCronJobBody = Static<typeof ChangeCronJobBody>

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const Iso = Type.String({ format: 'date-time' })

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
  missed: Type.Enum([...missedPolicies]),
  overlap: Type.Enum([...overlapPolicies]),
  jitter_seconds: Count,
  ends_at: optional(Iso),
  max_runs: optional(Count),
  created_at: Iso,
  next_run_at: Type.Union([Iso, Type.Null()]),
  runs: Count,
  running: Count,
  queued: Count,
})
export type CronJob = Static<typeof CronJob>

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

export const CronJobList = Type.Object({ jobs: Type.Array(CronJob), has_more: Type.Boolean() })
export const CronRunList = Type.Object({ runs: Type.Array(CronRun), has_more: Type.Boolean() })
export const DeletedCronJob = Type.Object({ status: Type.Literal('deleted'), job_id: Text, message: Text })
