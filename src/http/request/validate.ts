// Finds everything that is wrong with a body. Most bodies are valid, and a compiled check accepts them quickly. Only an
// invalid body is checked again to explain its problems (validate/explain.ts).
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { hasExact } from '../../contract/json/exact-number.ts'
import { type Unheld, withoutNulls, withPlainNumbers } from '../../contract/json/schema-walk.ts'
import { Invalid, type Problem } from '../../contract/refusals.ts'
import { explain } from '../validate/explain.ts'
import { push } from './problems.ts'

/**
 * Returns a function that checks a value. It returns the value with its type, or throws Invalid with all problems. At
 * any depth, it removes a null in an optional field that allows no null. The schema is compiled at its first use,
 * because compiling all schemas would make each start of the server a fifth longer.
 */
export function bodyValidator<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  let known: { Check(value: unknown): boolean } | undefined
  return given => {
    known ??= Compile(schema)
    const compiled = known
    const unheld: Unheld[] = []
    const value = hasExact(given) ? withPlainNumbers(schema, given, unheld) : given
    if (unheld.length === 0 && compiled.Check(value)) return value as Static<T>
    const lean = withoutNulls(schema, value)
    if (unheld.length === 0 && lean !== value && compiled.Check(lean)) return lean as Static<T>
    const problems = explain(schema, lean, ['body'])
    for (const number of unheld) addUnheld(problems, number)
    // A property test checks that the compiled check and `explain` agree. If they disagreed all the same, the answer
    // would still be a 422.
    throw new Invalid(problems.length > 0 ? problems : [unexplained])
  }
}

/** Adds the problem of a number that cannot be held, unless the schema has found a problem in its place. */
const addUnheld = (problems: Problem[], { loc, text }: Unheld): void => {
  const place = ['body', ...loc]
  if (problems.some(({ loc: known }) => known.join('.') === place.join('.'))) return
  const msg = `Input should be a number that the server can hold exactly: it would read ${text.slice(0, 100)} as ${Number(text)}`
  push(problems, { loc: place, type: 'number_not_exact', msg })
}

const unexplained: Problem = { loc: ['body'], type: 'value_error', msg: 'Value error, the body is not valid' }
