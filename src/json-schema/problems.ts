// Describes ajv's errors in words: the place in the value, and what must be there.
import type { ErrorObject } from 'ajv/dist/2020.js'
import { fewest, short } from './limits.ts'

/** The greatest length, in characters, of the path that a problem names. */
const longestPath = 120

type Params = Record<string, unknown>
const quoted = (value: unknown): string => short(JSON.stringify(value) ?? 'undefined', 60)
const listed = (values: unknown): string => (values as unknown[]).slice(0, 20).map(quoted).join(', ')

const words: Record<string, (params: Params) => string> = {
  additionalProperties: ({ additionalProperty }) =>
    `must not have the property ${quoted(additionalProperty)}`,
  const: ({ allowedValue }) => `must be ${quoted(allowedValue)}`,
  enum: ({ allowedValues }) => `must be one of ${listed(allowedValues)}`,
  'false schema': () => 'is not allowed',
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  not: () => 'must not fit the schema in "not"',
  pattern: ({ pattern }) => `must match the pattern ${quoted(pattern)}`,
  propertyNames: ({ propertyName }) => `must not have a property named ${quoted(propertyName)}`,
  required: ({ missingProperty }) => `must have the property ${quoted(missingProperty)}`,
  uniqueItems: () => 'must not have the same item twice',
  type: ({ type }) => `must be ${[type].flat().join(' or ')}`,
  unevaluatedProperties: ({ unevaluatedProperty }) =>
    `must not have the property ${quoted(unevaluatedProperty)}`,
}

const problem = ({ instancePath, keyword, params, message, propertyName }: ErrorObject, root: string) => {
  const what = words[keyword]?.(params) ?? message?.replace('must NOT', 'must not') ?? `must fit ${keyword}`
  const where = short(instancePath, longestPath) || root
  return propertyName === undefined
    ? `${where} ${what}`
    : `${where}: the name ${quoted(propertyName)} ${what}`
}

/** `root`: a name for the whole value, whose path is empty. */
export const problemsIn = (errors: ErrorObject[] | null | undefined, root: string): string[] =>
  fewest(described(errors ?? [], root))

// Describes errors one by one, because there may be many more errors than are reported.
function* described(errors: ErrorObject[], root: string): Generator<string> {
  for (const error of errors) yield problem(error, root)
}
