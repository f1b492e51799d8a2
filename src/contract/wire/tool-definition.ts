// The definition of a tool, as a model sees it.
import Type, { type Static } from 'typebox'
import { OpenObject, optional } from './schema.ts'

export const ToolDefinition = Type.Object({
  type: Type.Literal('function'),
  function: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 128 }),
    parameters: OpenObject,
    description: optional(Type.String()),
    strict: optional(Type.Boolean()),
  }),
})
export type ToolDefinition = Static<typeof ToolDefinition>
