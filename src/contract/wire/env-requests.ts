// The bodies of the requests about environment sessions.
import Type, { type Static } from 'typebox'
import { AsciiId, TextId } from './ids.ts'
import { OpenObject, orNull } from './schema.ts'

const Seed = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

export const CreateEnvBody = Type.Object({
  session_id: orNull(AsciiId),
  env_id: orNull(TextId),
  user_id: orNull(TextId),
  client_id: orNull(TextId),
  env_vars: orNull(OpenObject),
  env_class_path: orNull(Type.String({ minLength: 1, maxLength: 4096 })),
  env_init_kwargs: orNull(OpenObject),
})
export type CreateEnvBody = Static<typeof CreateEnvBody>
export const StepEnvBody = Type.Object({
  session_id: AsciiId,
  tool_name: Type.String({ minLength: 1, maxLength: 128 }),
  tool_args: orNull(OpenObject),
  env_vars: orNull(OpenObject),
  stream: orNull(Type.Boolean()),
  request_id: orNull(TextId),
  task_id: orNull(AsciiId),
  user_id: orNull(TextId),
  expected_step: orNull(Type.Integer({ minimum: 1 })),
})
export type StepEnvBody = Static<typeof StepEnvBody>
export const ResetEnvBody = Type.Object({
  session_id: AsciiId,
  seed: orNull(Seed),
  options: orNull(OpenObject),
})
export type ResetEnvBody = Static<typeof ResetEnvBody>
/** The body of observation and close. */
export const SessionBody = Type.Object({ session_id: AsciiId })
export type SessionBody = Static<typeof SessionBody>
