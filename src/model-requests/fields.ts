// Fields of bodies and of what requests set in them.
export type Fields = Record<string, unknown>

/** The value if it is an object, else no fields. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** The fields that are not null: a request unsets a field with null. */
export const setIn = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
