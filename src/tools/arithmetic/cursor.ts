import { shown, type Token, wrong } from './tokens.ts'

/** At most this many levels of parentheses, functions, signs and powers may be inside of each other. */
const deepest = 200

/** Moves through tokens from the first to the last, which marks the end and is never taken. */
export const createCursor = (tokens: Token[]) => {
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
