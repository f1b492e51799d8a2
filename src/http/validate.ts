// Finds everything that is wrong with a request. The compiled check accepts the many valid requests; only an invalid
// one is explained (validate/explain.ts).
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Invalid, type Problem } from '../contract/refusals.ts'
import { withoutNulls } from '../contract/schema-walk.ts'
import type { WireSchema } from '../contract/wire-schema.ts'
import { explain } from './validate/explain.ts'
import { assertExplainable } from './validate/explainable.ts'

/**
 * Returns a function that returns the value, typed, or throws Invalid with everything that is wrong with it. A null in
 * the place of an optional field, at any depth, is left out.
 */
export function bodyValidator<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  assertExplainable(schema as WireSchema)
  const compiled = Compile(schema)
  return value => {
    if (compiled.Check(value)) return value as Static<T>
    const lean = withoutNulls(schema, value)
    if (lean !== value && compiled.Check(lean)) return lean as Static<T>
    const problems = explain(schema, lean, ['body'])
    // The compiled check and `explain` agree, as a property test checks. If they ever did not, the answer is still a
    // 422.
    throw new Invalid(problems.length > 0 ? problems : [unexplained])
  }
}

const unexplained: Problem = { loc: ['body'], type: 'value_error', msg: 'Value error, the body is not valid' }
