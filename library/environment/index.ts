// The package `reprise/environment`, for authors of environments: types, and the definition of a tool.
import type { Schema, ToolDefinition } from './types.ts'

export type * from './types.ts'

/**
 * The definition of a tool, as `tools()` of an environment lists it. `properties`: a JSON Schema for each argument.
 * `required`: the names of the arguments that each call must have; without it, all of them.
 */
export const tool = (
  name: string,
  description: string,
  properties: Record<string, Schema> = {},
  required: string[] = Object.keys(properties),
): ToolDefinition => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties, required } },
})
