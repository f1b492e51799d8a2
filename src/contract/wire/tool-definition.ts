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

/**
 * A tool of an MCP server whose definition is not as the protocol wants it. `name` is the name that the server gives,
 * or the place of the tool in the server's list. `left_out`: the tool cannot be used; otherwise it was mended.
 */
export const OddTool = Type.Object({
  server: Type.String(),
  name: Type.String(),
  problem: Type.String(),
  left_out: Type.Boolean(),
})
export type OddTool = Static<typeof OddTool>
