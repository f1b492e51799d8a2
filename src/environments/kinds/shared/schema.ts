// Checks values against the part of JSON Schema that the built-in kinds use for parameters and tools. Fills in
// defaults.
import type { OpenObject } from '../../../contract/environment.ts'

type Type = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
export type Schema = {
  type: Type | Type[]
  description?: string
  default?: unknown
  enum?: string[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  properties?: Record<string, Schema>
  required?: string[]
  /** Absent or true: any further fields are allowed. */
  additionalProperties?: boolean | Schema
}
export type ObjectSchema = Schema & { type: 'object' }

const fits: Record<Type, (value: unknown) => boolean> = {
  object: value => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: value => typeof value === 'string',
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  boolean: value => typeof value === 'boolean',
}
const named: Record<Type, string> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
}

const unlessFits = (schema: Schema, value: unknown, name: string): void => {
  const types = [schema.type].flat()
  const must = (what: string) => new Error(`${name} must be ${what}`)
  if (!types.some(type => fits[type](value))) throw must(types.map(type => named[type]).join(' or '))
  if (schema.enum !== undefined && !schema.enum.includes(value as string)) {
    throw must(`one of ${schema.enum.join(', ')}`)
  }
  if (typeof value === 'number') {
    if (value < (schema.minimum ?? value)) throw must(`at least ${schema.minimum}`)
    if (value > (schema.maximum ?? value)) throw must(`at most ${schema.maximum}`)
  }
  if (typeof value === 'string') {
    if (value.length < (schema.minLength ?? 0)) throw must(`at least ${schema.minLength} characters long`)
    if (value.length > (schema.maxLength ?? value.length)) {
      throw must(`at most ${schema.maxLength} characters long`)
    }
  }
}

const check = (schema: Schema, value: unknown, name: string): unknown => {
  unlessFits(schema, value, name)
  return fits.object(value) ? checked(schema, value as OpenObject, name) : value
}

/** Returns the object with its defaults. Throws an Error that names the first invalid field. */
export const checked = (schema: Schema, value: OpenObject, name = ''): OpenObject => {
  const { properties = {}, required = [], additionalProperties: others = true } = schema
  const inside = (field: string) => (name === '' ? field : `${name}.${field}`)
  const entries = Object.entries(value).map(([field, fieldValue]) => {
    const known = Object.hasOwn(properties, field) ? properties[field] : others
    if (known === false || known === undefined) {
      throw new Error(
        `${inside(field)} is not known: there is ${Object.keys(properties).join(', ') || 'none'}`,
      )
    }
    return [field, known === true ? fieldValue : check(known, fieldValue, inside(field))] as const
  })
  for (const field of required) {
    if (!Object.hasOwn(value, field)) throw new Error(`${inside(field)} is missing`)
  }
  const missing = Object.entries(properties).filter(
    ([field, { default: standard }]) => standard !== undefined && !Object.hasOwn(value, field),
  )
  return Object.fromEntries([...entries, ...missing.map(([field, known]) => [field, known.default] as const)])
}
