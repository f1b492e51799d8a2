// Compiles a schema to a check of values, with ajv configured for untrusted schemas.
import { Ajv2020, type AnySchemaObject, type ErrorObject } from 'ajv/dist/2020.js'
import { fewest, short } from './limits.ts'

// Describes ajv's errors in words: the place in the value, and what must be there.

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
const problemsIn = (errors: ErrorObject[] | null | undefined, root: string): string[] =>
  fewest(described(errors ?? [], root))

// Describes errors one by one, because there may be many more errors than are reported.
function* described(errors: ErrorObject[], root: string): Generator<string> {
  for (const error of errors) yield problem(error, root)
}

/** Returns the problems of a value; an empty list if it fits. */
export type Check = (value: unknown) => string[]
export type Compiled = { check: Check } | { problems: string[] }

/**
 * The supported dialects: 2020-12 and draft-07. Generators name draft-07 in schemas that mean the same in both
 * dialects, so every schema is read by the rules of 2020-12.
 */
const dialects = /^https?:\/\/json-schema\.org\/(draft\/2020-12\/schema|draft-07\/schema|schema)#?$/

const reason = (error: unknown): string =>
  error instanceof RangeError
    ? 'it is nested too deeply'
    : error instanceof Error
      ? error.message
      : String(error)

const isSchema = (value: unknown): value is boolean | Record<string, unknown> =>
  typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value))

/** Says why a schema is refused before ajv reads it; undefined: it is not refused. Ajv does not check this itself. */
const refusal = (schema: unknown): string | undefined => {
  if (!isSchema(schema)) return 'the schema must be object or boolean'
  if (typeof schema === 'boolean') return undefined
  const { $schema, $async } = schema
  if ($async !== undefined) return '/$async is no keyword of JSON Schema'
  return $schema === undefined || (typeof $schema === 'string' && dialects.test($schema))
    ? undefined
    : '/$schema must be "https://json-schema.org/draft/2020-12/schema" or left out'
}

const newAjv = () =>
  new Ajv2020({
    strict: false,
    logger: false,
    validateFormats: false,
    validateSchema: false, // `compile` does it before
    ownProperties: true,
    allErrors: true,
    multipleOfPrecision: 10, // so that 19.99 counts as a multiple of 0.01 despite binary fractions
    inlineRefs: false, // otherwise a schema is copied for each reference to it
    code: { optimize: false }, // optimizing takes time that grows with the square of the schema
  })

/**
 * Validates all schemas against the meta-schema, and keeps none of them. One validator for each schema would take long:
 * compiling the meta-schema takes longer than compiling most schemas.
 */
let ofSchemas: Ajv2020 | undefined

/** Compiles each schema with an ajv of its own, so that an `$id` has no effect on other schemas. Fetches no schema. */
export const compile = (schema: unknown): Compiled => {
  const refused = refusal(schema)
  if (refused !== undefined) return { problems: [refused] }
  try {
    const plain = (typeof schema === 'boolean' ? schema : { ...(schema as object) }) as AnySchemaObject
    if (typeof plain === 'object') delete plain.$schema
    ofSchemas ??= newAjv()
    if (!ofSchemas.validateSchema(plain)) return { problems: problemsIn(ofSchemas.errors, 'the schema') }
    const fits = newAjv().compile(plain)
    const check = (value: unknown): string[] => {
      try {
        return fits(value) ? [] : problemsIn(fits.errors, 'the value')
      } catch (error) {
        return [`the value cannot be checked: ${reason(error)}`]
      }
    }
    return { check }
  } catch (error) {
    return { problems: fewest([reason(error)]) }
  }
}
