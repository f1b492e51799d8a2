// Finds JSON texts in characters that come piece by piece: each begins with a bracket and ends with the bracket that
// closes it. What is between two texts is skipped.

/** The beginning of a text has at most this many characters. */
const longestHead = 2048
/** A text with more levels of brackets ends there, and cannot be read: other code would run out of stack. */
const deepest = 512

/** Reads pieces of a text, one after another. */
export const createScan = () => {
  let open: string[] = []
  let head = ''
  let depth = 0
  let inString = false
  let isEscaped = false

  const keep = (piece: string) => {
    open.push(piece)
    if (head.length < longestHead) head += piece.slice(0, longestHead)
  }
  const close = (piece: string): string => {
    const text = open.join('') + piece
    open = []
    head = ''
    return text
  }
  /** Whether a text ends with this character. */
  const isEnd = (character: string): boolean => {
    if (inString) {
      if (isEscaped) isEscaped = false
      else if (character === '\\') isEscaped = true
      else if (character === '"') inString = false
    } else if (character === '"') inString = depth > 0
    else if (character === '{' || character === '[') {
      if (++depth <= deepest) return false
      depth = 0
      return true
    } else if (depth > 0 && (character === '}' || character === ']')) return --depth === 0
    return false
  }
  return {
    /** Returns the texts that end in this piece. */
    feed(piece: string): string[] {
      const ended: string[] = []
      let from = 0
      for (let at = 0; at < piece.length; at++) {
        if (depth === 0) from = at
        if (isEnd(piece[at] as string)) ended.push(close(piece.slice(from, at + 1)))
      }
      if (depth > 0) keep(piece.slice(from))
      return ended
    },
    /** The text that has begun and has not ended; empty: there is none. */
    open: (): string => open.join(''),
    /** The beginning of this text. */
    head: (): string => head,
  }
}
export type Scan = ReturnType<typeof createScan>
