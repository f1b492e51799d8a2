// Says why src/http/validate/explain.ts cannot explain a schema. The compiled check and explain.ts would disagree about a
// keyword that explain.ts does not know, and about a field that every object inherits, because TypeBox looks up most
// names with `in`.
import type { WireSchema } from '../../src/contract/wire-schema.ts'

const explainable: Record<string, readonly string[]> = {
  anyOf: ['anyOf'],
  enum: ['enum'],
  object: ['type', 'properties', 'required', 'patternProperties'],
  array: ['type', 'items', 'minItems', 'maxItems'],
  string: ['type', 'const', 'minLength', 'maxLength', 'pattern'],
  integer: ['type', 'const', 'minimum', 'maximum'],
  number: ['type', 'const', 'minimum', 'maximum'],
  boolean: ['type', 'const'],
  null: ['type'],
  anything: [],
}
const notes: readonly string[] = ['$id', 'title', 'description', 'default', 'examples']

/** What explain.ts cannot explain; empty: it can explain the whole schema. */
export function unexplainableIn(schema: WireSchema): string[] {
  const form = schema.anyOf ? 'anyOf' : schema.enum ? 'enum' : (schema.type ?? 'anything')
  const keywords = Object.keys(schema)
    .filter(keyword => !explainable[form]?.includes(keyword) && !notes.includes(keyword))
    .map(keyword => `the keyword "${keyword}" in a schema of the form "${form}"`)
  const names = Object.keys(schema.properties ?? {})
    .filter(name => name in Object.prototype)
    .map(name => `a property named "${name}", because every object inherits that name`)
  const children = [
    ...(schema.anyOf ?? []),
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.patternProperties ?? {}),
    ...(schema.items ? [schema.items] : []),
  ]
  return [...keywords, ...names, ...children.flatMap(unexplainableIn)]
}
