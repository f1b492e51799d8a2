// The messages of MCP, as far as HTTP sees them. The door (src/doors/mcp) knows the methods.
import Type from 'typebox'
import { OpenObject, optional } from '../wire/schema.ts'

const Id = Type.Union([Type.String(), Type.Number(), Type.Null()])

/** What a client sends. The door refuses everything else in its own form, so the schema refuses nothing. */
export const McpMessage = Type.Unknown()

export const McpError = Type.Object({
  code: Type.Integer(),
  message: Type.String(),
  data: optional(OpenObject),
})
/** The answer to a request. It has a result or an error. */
export const McpAnswer = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: optional(Id),
  method: optional(Type.String()),
  params: optional(OpenObject),
  result: optional(OpenObject),
  error: optional(McpError),
})
export const McpRefusal = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Id,
  error: McpError,
})
export const McpMetadata = Type.Object({
  resource: Type.String(),
  resource_name: Type.String(),
  bearer_methods_supported: Type.Array(Type.String()),
})
