// Arithmetic by a parser of its own: what a model writes is never run as code.

const longest = 10_000
const deepest = 200

type Token = { kind: 'number' | 'name' | 'sign' | 'end'; text: string; at: number }
type Fn = { least: number; most: number; of: (...values: number[]) => number }

const constants = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
])
const one = (of: (value: number) => number): Fn => ({ least: 1, most: 1, of })
const some = (of: (...values: number[]) => number): Fn => ({ least: 1, most: longest, of })
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

const wrong = (what: string, { at }: { at: number }): Error => new Error(`${what} at position ${at}`)
const shown = ({ kind, text }: Token): string => (kind === 'end' ? 'the end' : `"${text.slice(0, 40)}"`)

const tokensOf = (text: string): Token[] => {
  const tokens: Token[] = []
  const next = /\s*(?:((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)|([a-z_]\w*)|(\*\*|[-+*/%^(),])|(\S))?/iuy
  for (;;) {
    const [all = '', number, name, sign, other] = next.exec(text) ?? []
    const word = number ?? name ?? sign ?? other ?? ''
    const at = next.lastIndex - word.length + 1 // people count from 1
    if (other !== undefined) throw wrong(`Unexpected "${other}"`, { at })
    const kind = number !== undefined ? 'number' : name !== undefined ? 'name' : 'sign'
    if (word === '' || all === '') return [...tokens, { kind: 'end', text: '', at: text.length + 1 }]
    tokens.push({ kind, text: word === '**' ? '^' : word.toLowerCase(), at })
  }
}

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
const applied = (name: Token, { least, most, of }: Fn, values: number[]): number => {
  if (values.length < least || values.length > most) {
    throw wrong(`${name.text} takes ${most === 1 ? 'one value' : 'at least one value'}`, name)
  }
  const value = of(...values)
  if (Number.isNaN(value) || value === Number.NEGATIVE_INFINITY) {
    throw wrong(`${name.text} has no value for ${values.join(', ')}`, name)
  }
  return value
}

/** The value of an expression; throws with the position of what is wrong. */
export const evaluate = (text: string): number => {
  if (text.length > longest) throw new Error(`The expression is longer than ${longest} characters`)
  const tokens = tokensOf(text)
  let at = 0
  let depth = 0
  const peek = () => tokens[at] as Token // the last is the end, and nothing takes it
  const take = () => tokens[at++] as Token
  const isSign = (...signs: string[]) => peek().kind === 'sign' && signs.includes(peek().text)
  const expect = (sign: string) => {
    if (!isSign(sign)) throw wrong(`Expected "${sign}", found ${shown(peek())}`, peek())
    at++
  }
  const deeper = <Value>(work: () => Value): Value => {
    if (++depth > deepest) throw wrong(`Nested deeper than ${deepest} levels`, peek())
    const value = work()
    depth--
    return value
  }

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
