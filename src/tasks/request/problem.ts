import type { Problem } from '../../contract/refusals.ts'

/** Something that is wrong with the body of a create. */
export const problem = (loc: (string | number)[], msg: string, type = 'value_error'): Problem => ({
  loc: ['body', ...loc],
  msg,
  type,
})
