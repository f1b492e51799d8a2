// Evaluates arithmetic with a parser of its own: the text of a model is never run as code.
import { longest, shown, type Token, tokensOf, wrong } from './tokens.ts'

// Operations on numbers. Each throws an error with the position of the given token if there is no result.

const ranged = (value: number, at: Token): number => {
  if (!Number.isFinite(value)) throw wrong('The number is too large', at)
  return value
}
const divided = (a: number, b: number, sign: Token): number => {
  if (b === 0) throw wrong('Division by zero', sign)
  return sign.text === '/' ? a / b : a % b
}
const raised = (base: number, exponent: number, sign: Token): number => {
  if (base === 0 && exponent < 0) throw wrong('Division by zero', sign)
  const value = base ** exponent
  if (Number.isNaN(value)) throw wrong('A negative number has no such power', sign)
  return value
}

// The names in expressions: constants, and functions of one or several values.

type Fn = { least: number; max: number; of: (...values: number[]) => number }

const constants = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
])
const one = (of: (value: number) => number): Fn => ({ least: 1, max: 1, of })
const some = (of: (...values: number[]) => number): Fn => ({ least: 1, max: longest, of })
const functions = new Map<string, Fn>([
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
const applied = (name: Token, { least, max, of }: Fn, values: number[]): number => {
  if (values.length < least || values.length > max) {
    throw wrong(`${name.text} takes ${max === 1 ? 'one value' : 'at least one value'}`, name)
  }
  const value = of(...values)
  if (Number.isNaN(value) || value === Number.NEGATIVE_INFINITY) {
    throw wrong(`${name.text} has no value for ${values.join(', ')}`, name)
  }
  return value
}

/** At most this many levels of parentheses, functions, signs and powers may be inside of each other. */
const deepest = 200

/** Moves through tokens from the first to the last, which marks the end and is never taken. */
const createCursor = (tokens: Token[]) => {
  let at = 0
  let depth = 0
  const peek = () => tokens[at] as Token
  const isSign = (...signs: string[]) => peek().kind === 'sign' && signs.includes(peek().text)
  return {
    peek,
    take: () => tokens[at++] as Token,
    isSign,
    /** Takes this sign. Throws if the next token is another one. */
    expect(sign: string): void {
      if (!isSign(sign)) throw wrong(`Expected "${sign}", found ${shown(peek())}`, peek())
      at++
    },
    /** Does work that is nested one level deeper. Throws if that is too deep. */
    deeper<Value>(work: () => Value): Value {
      if (++depth > deepest) throw wrong(`Nested deeper than ${deepest} levels`, peek())
      const value = work()
      depth--
      return value
    },
  }
}

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
