// Finds the schema of the answer to a call (docs/decisions/93-forms-for-answers.md).

import type { Static } from 'typebox'
import { readJson } from '../../src/contract/exact-json.ts'
import type { ToolCallItem, ToolDefinition } from '../../src/contract/wire.ts'
import type { Schema } from '../ui/schema-form.tsx'

export type Tool = Static<typeof ToolDefinition>

/** The arguments of a call; empty while they are no object. */
export const argumentsOf = (call: ToolCallItem): Record<string, unknown> => {
  try {
    const given: unknown = readJson(call.arguments)
    return typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null
/**
 * The schema of the answer to a call: `schema` of its arguments, `returns` or `output_schema` of its tool, or a choice
 * from `options` or `choices` of its arguments. Undefined: the answer is a text.
 */
export const answerSchemaOf = (call: ToolCallItem, tool: Tool | undefined): Schema | undefined => {
  const { schema, options, choices } = argumentsOf(call)
  const definition = (tool?.function ?? {}) as Record<string, unknown>
  const found = [schema, definition.returns, definition.output_schema].find(isSchema)
  const offered = [options, choices].find(Array.isArray)
  return found ?? (offered === undefined ? undefined : { enum: offered as unknown[], title: 'Answer' })
}
