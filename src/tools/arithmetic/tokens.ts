/** The greatest length of an expression, in characters. */
export const longest = 10_000

/** `at` is the position of the token's first character, counted from 1. */
export type Token = { kind: 'number' | 'name' | 'sign' | 'end'; text: string; at: number }

export const wrong = (what: string, { at }: { at: number }): Error => new Error(`${what} at position ${at}`)
export const shown = ({ kind, text }: Token): string =>
  kind === 'end' ? 'the end' : `"${text.slice(0, 40)}"`

/** The tokens of an expression; the last one marks its end. Throws at a character that belongs to no token. */
export const tokensOf = (text: string): Token[] => {
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
