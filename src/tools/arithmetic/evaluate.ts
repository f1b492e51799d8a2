// Evaluates arithmetic with a parser of its own: the text of a model is never run as code.
import { createCursor } from './cursor.ts'
import { applied, constants, functions } from './functions.ts'
import { divided, raised, ranged } from './operations.ts'
import { longest, shown, type Token, tokensOf, wrong } from './tokens.ts'

/** The value of an expression. Throws with the position of an error. */
export const evaluate = (text: string): number => {
  if (text.length > longest) throw new Error(`The expression is longer than ${longest} characters`)
  const { peek, take, isSign, expect, deeper } = createCursor(tokensOf(text))

  const sum = (): number => {
    let value = product()
    while (isSign('+', '-')) {
      const sign = take()
      const other = product()
      value = ranged(sign.text === '+' ? value + other : value - other, sign)
    }
    return value
  }
  const product = (): number => {
    let value = signed()
    while (isSign('*', '/', '%')) {
      const sign = take()
      const other = signed()
      value = ranged(sign.text === '*' ? value * other : divided(value, other, sign), sign)
    }
    return value
  }
  const signed = (): number => {
    if (!isSign('+', '-')) return power()
    return take().text === '-' ? -deeper(signed) : deeper(signed)
  }
  const power = (): number => {
    const base = atom()
    if (!isSign('^')) return base
    const sign = take()
    return ranged(raised(base, deeper(signed), sign), sign)
  }
  const atom = (): number => {
    const token = peek()
    if (isSign('(')) return deeper(inParentheses)
    if (token.kind !== 'number' && token.kind !== 'name') {
      throw wrong(`Expected a number, found ${shown(token)}`, token)
    }
    take()
    if (token.kind === 'number') return ranged(Number(token.text), token)
    return constants.get(token.text) ?? called(token)
  }
  const inParentheses = (): number => {
    expect('(')
    const value = sum()
    expect(')')
    return value
  }
  const called = (name: Token): number => {
    const fn = functions.get(name.text)
    if (fn === undefined) throw wrong(`Unknown name ${shown(name)}`, name)
    const values = deeper(listed)
    return ranged(applied(name, fn, values), name)
  }
  const listed = (): number[] => {
    expect('(')
    if (isSign(')')) return take() && []
    const values = [sum()]
    while (isSign(',')) {
      take()
      values.push(sum())
    }
    expect(')')
    return values
  }

  const value = sum()
  if (peek().kind !== 'end') throw wrong(`Unexpected ${shown(peek())}`, peek())
  return value
}
