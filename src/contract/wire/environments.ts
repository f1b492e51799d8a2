// Kinds of environments, and environment sessions as callers see them.
import Type, { type Static } from 'typebox'
import { ToolResultItem } from './items.ts'
import { OpenObject, optional } from './schema.ts'
import { OddTool, ToolDefinition } from './tool-definition.ts'

/**
 * A kind of environment. `limits` is a text about its limits. `error` says why its module cannot be imported.
 * `odd_tools`: of the kind `mcp`, tools of the operator's servers that were mended or left out.
 */
export const EnvironmentInfo = Type.Object({
  name: Type.String(),
  source: Type.String(),
  module: Type.String(),
  importable: Type.Enum(['true', 'false']),
  default_params_summary: Type.String(),
  origin: Type.Enum(['builtin', 'external', 'local']),
  description: Type.String(),
  limits: optional(Type.String()),
  error: optional(Type.String()),
  odd_tools: optional(Type.Array(OddTool)),
})
export type EnvironmentInfo = Static<typeof EnvironmentInfo>

/** The session record. Times are whole Unix seconds. Closed sessions have a `close_reason`. */
export const EnvSession = Type.Object({
  session_id: Type.String(),
  user_id: Type.String(),
  client_id: Type.String(),
  env_id: Type.String(),
  env_vars: OpenObject,
  is_active: Type.Boolean(),
  created_at: Type.Integer(),
  last_accessed_at: Type.Integer(),
  kind: Type.String(),
  close_reason: optional(Type.String()),
})
export type EnvSession = Static<typeof EnvSession>
export const EnvStepAnswer = Type.Object({
  session_id: Type.String(),
  env_id: Type.String(),
  step: Type.Integer({ minimum: 1 }),
  tool_result: ToolResultItem,
  observation: OpenObject,
  state: OpenObject,
  reward: Type.Number(),
  terminated: Type.Boolean(),
  truncated: Type.Boolean(),
  done: Type.Boolean(),
  info: OpenObject,
  tools: Type.Array(ToolDefinition),
})
export type EnvStepAnswer = Static<typeof EnvStepAnswer>
