import { shown, type Token, wrong } from './tokens.ts'

const deepest = 200

/** Goes through tokens from the first to the last, which is the end and is never taken. */
export const createCursor = (tokens: Token[]) => {
  let at = 0
  let depth = 0
  const peek = () => tokens[at] as Token
  const isSign = (...signs: string[]) => peek().kind === 'sign' && signs.includes(peek().text)
  return {
    peek,
    take: () => tokens[at++] as Token,
    isSign,
    /** Takes this sign; throws if another token stands here. */
    expect(sign: string): void {
      if (!isSign(sign)) throw wrong(`Expected "${sign}", found ${shown(peek())}`, peek())
      at++
    },
    /** Does what is nested one level deeper; throws when that is too deep. */
    deeper<Value>(work: () => Value): Value {
      if (++depth > deepest) throw wrong(`Nested deeper than ${deepest} levels`, peek())
      const value = work()
      depth--
      return value
    },
  }
}
