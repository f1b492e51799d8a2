// The bodies of the requests about cron jobs.
import Type, { type Static } from 'typebox'
import { fieldsOf, limits, policies, Time } from './cron-settings.ts'
import { orNull } from './schema.ts'
import { CreateTaskBody } from './task-requests.ts'

/** The longest interval in seconds: ten years. */
const longestInterval = 315_360_000

const Name = Type.String({ minLength: 1, maxLength: 256 })
/** The body of a create in which `stream` may be absent, since nobody waits for the answer of a run. */
const JobTask = Type.Object({ ...CreateTaskBody.properties, stream: orNull(Type.Boolean()) })

const settings = {
  schedule: orNull(Type.String({ minLength: 1, maxLength: 256 })),
  every_seconds: orNull(Type.Integer({ minimum: 1, maximum: longestInterval })),
  at: orNull(Time),
  timezone: orNull(Type.String({ minLength: 1, maxLength: 64 })),
  ...fieldsOf(policies, 'asked'),
  enabled: orNull(Type.Boolean()),
  ...fieldsOf(limits, 'asked'),
}
export const CreateCronJobBody = Type.Object({ name: Name, task: JobTask, ...settings })
export type CreateCronJobBody = Static<typeof CreateCronJobBody>
export const ChangeCronJobBody = Type.Object({ name: orNull(Name), task: orNull(JobTask), ...settings })
export type ChangeCronJobBody = Static<typeof ChangeCronJobBody>
