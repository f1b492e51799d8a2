// The fields that a form leaves out have the values that its schema names.

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value of a form with the defaults of its schema. A value of another form stays as it is. */
export const withDefaults = (schema: object, value: unknown): unknown => {
  const { properties } = schema as { properties?: unknown }
  if (!isFields(value) || !isFields(properties)) return value
  const missing = Object.entries(properties).flatMap(([name, property]) =>
    Object.hasOwn(value, name) || !isFields(property) || property.default === undefined
      ? []
      : [[name, property.default] as const],
  )
  return { ...value, ...Object.fromEntries(missing) }
}
