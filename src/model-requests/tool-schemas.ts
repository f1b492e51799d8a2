// Schemas of tools for endpoints with strict parsers.
type Schema = Record<string, unknown>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keywords that some endpoints refuse. They only narrow or describe a value, and the server checks each call itself. */
const refused = new Set([
  ...['$schema', '$id', '$anchor', '$comment', '$defs', 'definitions', '$vocabulary', '$dynamicAnchor'],
  ...['patternProperties', 'propertyNames', 'unevaluatedProperties', 'unevaluatedItems', 'dependentRequired'],
  ...['dependentSchemas', 'additionalProperties', 'additionalItems', 'if', 'then', 'else', 'not', 'contains'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'uniqueItems', 'pattern', 'format', 'examples'],
  ...['contentEncoding', 'contentMediaType', 'readOnly', 'writeOnly', 'deprecated'],
])
/** References are followed this deep, since a schema may refer to itself. */
const deepest = 8

const targetOf = (root: Schema, reference: unknown): Schema | undefined => {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined
  const steps = reference.split('/').slice(1)
  const names = steps.map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const found = names.reduce<unknown>((at, name) => (isSchema(at) ? at[name] : undefined), root)
  return isSchema(found) ? found : undefined
}

/** A schema without references and without refused keywords. */
const simple = (root: Schema, schema: unknown, depth: number): unknown => {
  if (!isSchema(schema)) return schema
  if ('$ref' in schema) {
    const { $ref, ...beside } = schema
    const target = depth < deepest ? targetOf(root, $ref) : undefined
    return target === undefined ? {} : simple(root, { ...target, ...beside }, depth + 1)
  }
  const entries = Object.entries(schema).filter(([name]) => !refused.has(name))
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (name === 'properties' && isSchema(value)) {
        const inner = Object.entries(value).map(([key, each]) => [key, simple(root, each, depth)])
        return [name, Object.fromEntries(inner)]
      }
      if (name === 'items') return [name, simple(root, value, depth)]
      const isList = ['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(name) && Array.isArray(value)
      return [name, isList ? value.map(each => simple(root, each, depth)) : value]
    }),
  )
}

/** The parameters of a tool. Every endpoint wants an object that says so, and names its properties. */
export const parametersOf = (parameters: Schema, form: 'as_given' | 'simple'): Schema => {
  const given = form === 'simple' ? (simple(parameters, parameters, 0) as Schema) : parameters
  if (given.type === 'object' && isSchema(given.properties)) return given
  return { ...given, type: 'object', properties: isSchema(given.properties) ? given.properties : {} }
}
