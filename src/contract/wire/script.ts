// The script of the scripted agent.
import Type, { type Static } from 'typebox'
import { OpenObject, optional } from './schema.ts'
import { Usage } from './task.ts'

const ScriptCall = Type.Object({
  tool: Type.String({ minLength: 1, maxLength: 128 }),
  arguments: optional(OpenObject),
})
/** One entry of `agent_config.script`: an object that names exactly one action. */
export const ScriptStep = Type.Object({
  reasoning: optional(Type.String()),
  message: optional(Type.String()),
  delta_ms: optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  tool: optional(Type.String({ minLength: 1, maxLength: 128 })),
  arguments: optional(OpenObject),
  tools: optional(Type.Array(ScriptCall, { maxItems: 64 })),
  subagent: optional(Type.String({ minLength: 1, maxLength: 120 })),
  input: optional(Type.String()),
  sleep_ms: optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
  pause: optional(Type.String()),
  fail: optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
  usage: optional(Usage),
})
export type ScriptStep = Static<typeof ScriptStep>
export const Script = Type.Array(ScriptStep, { maxItems: 10_000 })
export const scriptActions = [
  'reasoning',
  'message',
  'tool',
  'tools',
  'subagent',
  'sleep_ms',
  'pause',
  'fail',
  'usage',
] as const
