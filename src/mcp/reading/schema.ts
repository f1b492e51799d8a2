// Mends the input schema of a tool, because endpoints of models refuse a whole request when one schema has a null in
// it. A null means that a field is left out, and languages such as PHP write an empty object as `[]`.
import { type Fields, isFields } from './heard.ts'

/** Keywords whose value is a schema, a list of schemas, or schemas by name. Their other values stay as they are. */
const oneSchema = new Set([
  ...['items', 'contains', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['not', 'if', 'then', 'else'],
])
const schemaLists = new Set(['anyOf', 'allOf', 'oneOf', 'prefixItems'])
const namedSchemas = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
])
/** Keywords whose value may be null. */
const anyValue = new Set(['const', 'default'])
const deepest = 64

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

const mendedSchema = (value: unknown, depth: number): unknown => {
  if (typeof value === 'boolean') return value
  return isFields(value) && depth < deepest ? mendedFields(value, depth + 1) : {}
}
const mendedByName = (value: unknown, depth: number): Fields =>
  isFields(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mendedSchema(each, depth)]))
    : {}

const mendedFields = (schema: Fields, depth = 0): Fields =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (value === null && !anyValue.has(key)) return []
      if (namedSchemas.has(key)) return [[key, mendedByName(value, depth)]]
      if (schemaLists.has(key)) {
        return Array.isArray(value) ? [[key, value.map(each => mendedSchema(each, depth))]] : []
      }
      if (oneSchema.has(key)) {
        const isList = Array.isArray(value) && !isEmpty(value)
        return [[key, isList ? value.map(each => mendedSchema(each, depth)) : mendedSchema(value, depth)]]
      }
      if (key !== 'required') return [[key, value]]
      const names = [value].flat().filter(name => typeof name === 'string')
      return names.length === 0 && !Array.isArray(value) ? [] : [[key, names]]
    }),
  )

export type InputSchema = Fields & { type: 'object' }
type Mended = { schema: InputSchema; problem?: string }

/** A schema that every object fits, and why it takes the place of the server's own. */
const open = (problem: string): Mended => ({ schema: { type: 'object' }, problem })

const isObjectType = (type: unknown): boolean =>
  type === undefined || type === null || [type].flat().includes('object')

/** The input schema of a tool. `problem`: why the server's own cannot be used. Then all arguments are accepted. */
export const readInputSchema = (given: unknown): Mended => {
  if (given === undefined || given === null || isEmpty(given)) return open('it has no inputSchema')
  if (given === true) return { schema: { type: 'object' } }
  if (!isFields(given)) return open('its inputSchema is no object')
  if (!isObjectType(given.type)) return open(`its inputSchema is of the type ${JSON.stringify(given.type)}`)
  return { schema: { ...mendedFields(given), type: 'object' } }
}
