// Finds the problems of a text or a number.
import type { Problem } from '../../contract/refusals.ts'
import type { WireSchema } from '../../contract/wire-schema.ts'
import { rangeProblem } from '../request/problems.ts'
import { regExp } from './patterns.ts'

type Loc = Problem['loc']

const characters = (count: number): string => `${count} ${count === 1 ? 'character' : 'characters'}`

// The length of a string is its number of code points, as in TypeBox. They are counted only if the number of UTF-16
// units does not show whether the string is within its limits.
export function stringProblem(
  { minLength, maxLength, pattern }: WireSchema,
  value: string,
  loc: Loc,
): Problem | undefined {
  if (minLength !== undefined && !hasCodePoints(value, minLength)) {
    return { loc, type: 'string_too_short', msg: `String should have at least ${characters(minLength)}` }
  }
  if (maxLength !== undefined && hasCodePoints(value, maxLength + 1)) {
    return { loc, type: 'string_too_long', msg: `String should have at most ${characters(maxLength)}` }
  }
  if (pattern !== undefined && !regExp(pattern).test(value)) {
    return { loc, type: 'string_pattern_mismatch', msg: `String should match pattern '${pattern}'` }
  }
  return undefined
}

function hasCodePoints(text: string, wanted: number): boolean {
  if (text.length < wanted || text.length >= 2 * wanted) return text.length >= wanted
  let count = 0
  for (const _ of text) count++
  return count >= wanted
}

// JSON.parse reads 1e999 as Infinity, which is not accepted as a number.
export function numberProblem(
  { type, minimum, maximum }: WireSchema,
  value: number,
  loc: Loc,
): Problem | undefined {
  if (!Number.isFinite(value)) return { loc, type: 'finite_number', msg: 'Input should be a finite number' }
  if (type === 'integer' && !Number.isInteger(value)) {
    const msg = 'Input should be a valid integer, got a number with a fractional part'
    return { loc, type: 'int_from_float', msg }
  }
  return rangeProblem(value, minimum, maximum, loc)
}
