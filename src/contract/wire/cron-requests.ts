// The bodies of the requests about cron jobs.
import Type, { type Static } from 'typebox'
import { missedPolicies, overlapPolicies } from './cron-policies.ts'
import { orNull } from './schema.ts'
import { CreateTaskBody } from './task-requests.ts'

/** The longest interval and the longest jitter, in seconds: ten years, and a day. */
const longestInterval = 315_360_000
const longestJitter = 86_400

const Name = Type.String({ minLength: 1, maxLength: 256 })
const Time = Type.String({ minLength: 1, maxLength: 64 })
/** The body of a create in which `stream` may be absent, since nobody waits for the answer of a run. */
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
