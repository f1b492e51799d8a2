// The names in expressions: constants, and functions of one or several values.
import { longest, type Token, wrong } from './tokens.ts'

type Fn = { least: number; max: number; of: (...values: number[]) => number }

export const constants = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
])
const one = (of: (value: number) => number): Fn => ({ least: 1, max: 1, of })
const some = (of: (...values: number[]) => number): Fn => ({ least: 1, max: longest, of })
export const functions = new Map<string, Fn>([
  ['sqrt', one(Math.sqrt)],
  ['abs', one(Math.abs)],
  ['min', some(Math.min)],
  ['max', some(Math.max)],
  ['round', one(Math.round)],
  ['floor', one(Math.floor)],
  ['ceil', one(Math.ceil)],
  ['sin', one(Math.sin)],
  ['cos', one(Math.cos)],
  ['tan', one(Math.tan)],
  ['ln', one(Math.log)],
  ['log', one(Math.log10)],
  ['exp', one(Math.exp)],
])

/** The value of a function. Throws if the function has no value for these arguments. */
export const applied = (name: Token, { least, max, of }: Fn, values: number[]): number => {
  if (values.length < least || values.length > max) {
    throw wrong(`${name.text} takes ${max === 1 ? 'one value' : 'at least one value'}`, name)
  }
  const value = of(...values)
  if (Number.isNaN(value) || value === Number.NEGATIVE_INFINITY) {
    throw wrong(`${name.text} has no value for ${values.join(', ')}`, name)
  }
  return value
}
