// An invalid request: 422 with the place and the problem.
import { Invalid, type Problem } from '../contract/refusals.ts'

export const invalid = (loc: (string | number)[], msg: string, type = 'value_error') =>
  new Invalid([{ loc: ['body', ...loc], msg, type }])

export const problemsAt = (loc: (string | number)[], problems: string[]): Problem[] =>
  problems.map(msg => ({ loc: ['body', ...loc], msg, type: 'value_error' }))
