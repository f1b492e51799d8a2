// The texts of validation problems, shared by the readers of bodies and of queries.
import { mapExact, nearest } from '../../contract/json/exact-number.ts'
import { Invalid, type Problem } from '../../contract/refusals.ts'

/**
 * The most problems in one answer. Without a limit, a body with a million wrong items would give an answer of a
 * gigabyte.
 */
export const maxProblems = 1000

type Loc = Problem['loc']

export function rangeProblem(
  value: number,
  min: number | undefined,
  max: number | undefined,
  loc: Loc,
): Problem | undefined {
  const range = min === undefined || max === undefined ? '' : ` (the range is ${min} to ${max})`
  if (min !== undefined && value < min) {
    return { loc, type: 'greater_than_equal', msg: `Input should be greater than or equal to ${min}${range}` }
  }
  if (max !== undefined && value > max) {
    return { loc, type: 'less_than_equal', msg: `Input should be less than or equal to ${max}${range}` }
  }
  return undefined
}

export function notOneOf(type: 'enum' | 'literal_error', values: readonly unknown[], loc: Loc): Problem {
  const quoted = values.map(value => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value)))
  const last = quoted.pop() ?? ''
  return { loc, type, msg: `Input should be ${quoted.length > 0 ? `${quoted.join(', ')} or ${last}` : last}` }
}

export function push(found: Problem[], problem: Problem | undefined): void {
  if (problem && found.length < maxProblems) found.push(problem)
}

/**
 * The body of a request, and the problems that the schema found in its fields, for a command that also checks what no
 * schema can, and names all problems at once. Throws every other error of the validation.
 */
export const givenIn = <Body>({ body, validationError }: { body: Body; validationError?: unknown }) => ({
  // A body with problems is only searched for more of them, so the nearest plain numbers will do.
  body: validationError == null ? body : (mapExact(body, nearest) as Body),
  found: problemsInFields(validationError),
})

const problemsInFields = (error: unknown): Problem[] => {
  if (error === undefined || error === null) return []
  if (!(error instanceof Invalid)) throw error
  if (error.problems.some(({ loc }) => loc.length < 2)) throw error // the body is no object
  return error.problems
}
