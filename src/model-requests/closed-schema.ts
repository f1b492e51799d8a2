// Schemas of answers for endpoints that only make objects without further properties.
type Schema = Record<string, unknown>

const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const maps = ['properties', '$defs', 'definitions']

/** The schema, in which each object that does not say so allows no further properties. */
export const closed = (schema: unknown): unknown => {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema
  const inner = Object.entries(schema as Schema).map(([name, value]): [string, unknown] => {
    if (lists.includes(name) && Array.isArray(value)) return [name, value.map(closed)]
    if (name === 'items') return [name, closed(value)]
    if (!maps.includes(name) || typeof value !== 'object' || value === null) return [name, value]
    return [name, Object.fromEntries(Object.entries(value).map(([key, each]) => [key, closed(each)]))]
  })
  const copy: Schema = Object.fromEntries(inner)
  const isObject = copy.type === 'object' || copy.properties !== undefined
  return isObject && copy.additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy
}
