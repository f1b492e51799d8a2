// Checks at the start that explain.ts can explain a schema.
import type { WireSchema } from '../../contract/wire-schema.ts'

const explainable: Record<string, readonly string[]> = {
  anyOf: ['anyOf'],
  enum: ['enum'],
  object: ['type', 'properties', 'required', 'patternProperties'],
  array: ['type', 'items', 'maxItems'],
  string: ['type', 'const', 'minLength', 'maxLength', 'pattern'],
  integer: ['type', 'const', 'minimum', 'maximum'],
  number: ['type', 'const', 'minimum', 'maximum'],
  boolean: ['type', 'const'],
  null: ['type'],
  anything: [],
}
const notes: readonly string[] = ['$id', 'title', 'description', 'default', 'examples']

// Throws if explain.ts cannot explain the schema, so that the server does not start. The compiled check and explain.ts
// would disagree about a keyword that explain.ts does not know, and about a field that every object inherits, because
// TypeBox looks up most names with `in`.
export function assertExplainable(schema: WireSchema): void {
  const form = schema.anyOf ? 'anyOf' : schema.enum ? 'enum' : (schema.type ?? 'anything')
  for (const keyword of Object.keys(schema)) {
    if (explainable[form]?.includes(keyword) || notes.includes(keyword)) continue
    throw new Error(
      `explain.ts cannot explain the keyword "${keyword}" in a schema of the form "${form}": teach it the keyword, or leave it out of the schema`,
    )
  }
  for (const name of Object.keys(schema.properties ?? {})) {
    if (name in Object.prototype)
      throw new Error(
        `a schema cannot have a property named "${name}", because every object inherits that name`,
      )
  }
  const children = [
    ...(schema.anyOf ?? []),
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.patternProperties ?? {}),
    ...(schema.items ? [schema.items] : []),
  ]
  for (const child of children) assertExplainable(child)
}
