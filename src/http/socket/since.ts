// Reads the cursor after which a subscription begins: a number, a number as text, or `earliest`.
import { Invalid } from '../../contract/refusals.ts'
import { rangeProblem } from '../request/problems.ts'

const digits = /^(0|[1-9][0-9]{0,14})$/
const loc = ['body', 'since']
const invalid = (type: string, msg: string) => new Invalid([{ loc, type, msg }])

/**
 * Reads `since`. `before` is the cursor before the first event or frame, `end` the cursor of the last one. Returns
 * undefined if no cursor is given. Throws Invalid.
 */
export const readSince = (
  given: number | string | null | undefined,
  { before, end, of }: { before: number; end: number; of: 'log' | 'stream' },
): number | undefined => {
  if (given === undefined || given === null) return undefined
  if (given === 'earliest') return before
  if (typeof given === 'string' && !digits.test(given)) {
    throw invalid('int_parsing', 'Input should be a valid integer, unable to parse string as an integer')
  }
  const since = Number(given)
  const problem = rangeProblem(since, before, undefined, loc)
  if (problem !== undefined) throw new Invalid([problem])
  if (since > end) throw invalid('value_error', `The cursor is beyond the end of the ${of}`)
  return since
}
