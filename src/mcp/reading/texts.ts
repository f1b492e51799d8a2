// Reads messages that are printed one after another. Each should be a line of its own. But servers also print messages
// over several lines, several on a line, without the last newline, or after other words on the same line.
import { type Heard, heardIn, idIn, type Source, seemsAnswer, unread } from './heard.ts'

// Finds JSON texts in characters that come piece by piece: each begins with a bracket and ends with the bracket that
// closes it. What is between two texts is skipped.

/** The beginning of a text has at most this many characters. */
const longestHead = 2048
/** A text with more levels of brackets ends there, and cannot be read: other code would run out of stack. */
const deepest = 512

/** Reads pieces of a text, one after another. */
const createScan = () => {
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
type Scan = ReturnType<typeof createScan>

const isMessage = (heard: Heard): boolean => 'message' in heard || 'broken' in heard

export const createTexts = (): Source => {
  /** Reads each line as if it were the first. */
  let alone = createScan()
  let lineLength = 0
  /** Continues a text of an earlier line. */
  let joined: Scan | undefined

  const inPart = (part: string): Heard[] => {
    lineLength += part.length
    const ofLine = alone.feed(part)
    if (joined === undefined) return ofLine.flatMap(heardIn)
    const continued = joined.feed(part).flatMap(heardIn)
    const own = continued.some(isMessage) ? [] : ofLine.flatMap(heardIn)
    // A whole message on a line of its own shows that the text before it will not end.
    if (own.some(isMessage)) {
      const before = joined.open().slice(0, -lineLength)
      joined = undefined
      return [...continued, ...own, idIn(before) === undefined ? { other: before } : unread(before)]
    }
    if (joined.head() === '') {
      joined = undefined
      alone = createScan()
    }
    return continued
  }
  /** A message that follows a bracket which is not closed on its line. */
  const inOpen = (): Heard[] => {
    const open = alone.open()
    const at = open.lastIndexOf('{', open.indexOf('"jsonrpc"'))
    if (at <= 0) return []
    alone = createScan()
    return alone.feed(open.slice(at)).flatMap(heardIn)
  }
  const endLine = (): Heard[] => {
    const within = inOpen()
    // A text that begins with the line cannot be the middle of words that only happen to hold a bracket.
    const isBegin = alone.head() !== '' && alone.open().length === lineLength
    if (joined === undefined ? alone.head() !== '' : isBegin && !seemsAnswer(joined.head())) joined = alone
    joined?.feed('\n')
    alone = createScan()
    lineLength = 0
    return within
  }
  const begun = () => joined ?? alone

  return {
    hear: text =>
      text.split('\n').flatMap((part, index) => [...(index > 0 ? endLine() : []), ...inPart(part)]),
    end() {
      const within = inOpen()
      const rest = begun().open()
      joined = undefined
      alone = createScan()
      return rest === '' ? within : [...within, unread(rest)]
    },
    hasBegun: () => seemsAnswer(begun().head()),
  }
}
