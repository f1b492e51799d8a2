// From a schema to a check of values: ajv, told to trust nothing.
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js'
import { fewest } from './limits.ts'
import { problemsIn } from './problems.ts'

/** The problems of a value; none if it fits. */
export type Check = (value: unknown) => string[]
export type Compiled = { check: Check } | { problems: string[] }

/**
 * Known are 2020-12 and, because generators write it above schemas that mean the same in both, draft-07: such a
 * schema is read by the rules of 2020-12.
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

/** What ajv would take on trust, or do otherwise than 2020-12 says. */
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
    multipleOfPrecision: 10, // 19.99 is a multiple of 0.01, whatever binary fractions say
    inlineRefs: false, // a schema that many refer to would be written out as often
    code: { optimize: false }, // optimizing takes the square of the time
  })

/** One for all schemas, since it keeps none: compiling the schema of schemas takes longer than most schemas do. */
let ofSchemas: Ajv2020 | undefined

/** One ajv for each schema: an `$id` of one is nothing to the others, and nothing is ever fetched. */
export const compile = (schema: unknown): Compiled => {
  const refused = refusal(schema)
  if (refused !== undefined) return { problems: [refused] }
  try {
    const given = (typeof schema === 'boolean' ? schema : { ...(schema as object) }) as AnySchemaObject
    if (typeof given === 'object') delete given.$schema
    ofSchemas ??= newAjv()
    if (!ofSchemas.validateSchema(given)) return { problems: problemsIn(ofSchemas.errors, 'the schema') }
    const fits = newAjv().compile(given)
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
