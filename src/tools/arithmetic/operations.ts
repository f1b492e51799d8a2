// Operations on numbers. Each throws an error with the position of the given token if there is no result.
import { type Token, wrong } from './tokens.ts'

export const ranged = (value: number, at: Token): number => {
  if (!Number.isFinite(value)) throw wrong('The number is too large', at)
  return value
}
export const divided = (a: number, b: number, sign: Token): number => {
  if (b === 0) throw wrong('Division by zero', sign)
  return sign.text === '/' ? a / b : a % b
}
export const raised = (base: number, exponent: number, sign: Token): number => {
  if (base === 0 && exponent < 0) throw wrong('Division by zero', sign)
  const value = base ** exponent
  if (Number.isNaN(value)) throw wrong('A negative number has no such power', sign)
  return value
}
