import type { Problem } from '../../contract/refusals.ts'

/** A problem in the body of a create. */
export const problem = (loc: (string | number)[], msg: string, type = 'value_error'): Problem => ({
  loc: ['body', ...loc],
  msg,
  type,
})
