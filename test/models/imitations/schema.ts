// Checks of requests against the fields that a vendor publishes. The schemas are written by hand from the public
// reference or the official SDK; the vendor's words for each kind of problem are in its own file.
import { Ajv, type ErrorObject } from 'ajv'
import type { Fields } from '../../../src/fake-model/question.ts'

export type Schema = Fields
export const text: Schema = { type: 'string' }
export const number: Schema = { type: 'number' }
export const truth: Schema = { type: 'boolean' }
/** Any value: what is in it is not checked here. */
export const any: Schema = {}
export const maybe = (schema: Schema): Schema => ({ anyOf: [{ type: 'null' }, schema] })
export const only = (...values: string[]): Schema => ({ enum: values })
export const listOf = (items: Schema): Schema => ({ type: 'array', items })
/** Names of fields that end with ? may be absent. Other fields are refused. */
export const objectOf = (fields: Record<string, Schema>): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name.replace('?', ''), schema]),
  ),
  required: Object.keys(fields).filter(name => !name.endsWith('?')),
  additionalProperties: false,
})
/** An object whose field `name` says which of the schemas it must fit. */
export const byField = (name: string, schemas: Record<string, Record<string, Schema>>): Schema => ({
  type: 'object',
  discriminator: { propertyName: name },
  required: [name],
  oneOf: Object.entries(schemas).map(([value, fields]) => objectOf({ [name]: { const: value }, ...fields })),
})
/** A text, or a list of parts. */
export const textOr = (parts: Schema): Schema => ({
  if: { type: 'string' },
  // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema
  then: true,
  else: { type: 'array', items: parts },
})

/** `at`: the names and numbers that lead to the place. `value`: what is there. */
export type Problem = {
  kind: 'unknown' | 'missing' | 'wrong'
  at: (string | number)[]
  value: unknown
  says: string
}

const placeOf = (pointer: string): (string | number)[] =>
  pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map(step => (/^\d+$/.test(step) ? Number(step) : step))
const valueAt = (body: unknown, at: (string | number)[]): unknown =>
  at.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], body)

const problemOf = (body: unknown, { keyword, instancePath, params, message = '' }: ErrorObject): Problem => {
  const at = placeOf(instancePath)
  if (keyword === 'additionalProperties') {
    const unknown = [...at, params.additionalProperty as string]
    return { kind: 'unknown', at: unknown, value: valueAt(body, unknown), says: message }
  }
  if (keyword === 'required') {
    return { kind: 'missing', at: [...at, params.missingProperty as string], value: undefined, says: message }
  }
  return { kind: 'wrong', at, value: valueAt(body, at), says: message }
}

/** Returns the first problem of a body, or undefined. */
export const checkerOf = (schema: Schema): ((body: Fields) => Problem | undefined) => {
  const check = new Ajv({ discriminator: true, strict: false }).compile(schema)
  return body => {
    if (check(body)) return undefined
    const errors = check.errors ?? []
    const inner = errors.find(({ keyword }) => !['if', 'anyOf', 'oneOf', 'type'].includes(keyword))
    const [first] = errors
    return first === undefined ? undefined : problemOf(body, inner ?? first)
  }
}

/** messages[1].content */
export const withBrackets = (at: (string | number)[]): string =>
  at.map((step, n) => (typeof step === 'number' ? `[${step}]` : n === 0 ? step : `.${step}`)).join('')
/** messages.1.content */
export const withDots = (at: (string | number)[]): string => at.join('.')
