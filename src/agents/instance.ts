// Builds a value in the shape of a JSON Schema, with a given text for its strings. Agents without a model use it for
// structured output. Other code checks whether the value fits the schema.

type Schema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  default?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  minimum?: number
  anyOf?: Schema[]
  oneOf?: Schema[]
}

/** This many levels of a schema are followed. A deeper value is the given text. */
const deepest = 16

export const instanceOf = (given: unknown, text: string, depth = 0): unknown => {
  if (typeof given !== 'object' || given === null || depth > deepest) return text
  const schema = given as Schema
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null
  if (schema.default !== undefined) return schema.default
  const branch = [schema.anyOf, schema.oneOf].find(Array.isArray)?.[0]
  if (branch !== undefined) return instanceOf(branch, text, depth + 1)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object' || (type === undefined && schema.properties)) {
    const fields = Object.entries(schema.properties ?? {})
    return Object.fromEntries(fields.map(([name, inner]) => [name, instanceOf(inner, text, depth + 1)]))
  }
  if (type === 'array') {
    const count = typeof schema.minItems === 'number' ? Math.min(schema.minItems, 100) : 1
    return Array.from({ length: count }, () => instanceOf(schema.items, text, depth + 1))
  }
  if (type === 'number' || type === 'integer') {
    const number = Number(text)
    if (text.trim() !== '' && Number.isFinite(number) && (type === 'number' || Number.isInteger(number))) {
      return number
    }
    return typeof schema.minimum === 'number' ? schema.minimum : 0
  }
  if (type === 'boolean') return true
  if (type === 'null') return null
  return text
}
