// Reads messages that are printed one after another. Each should be a line of its own. But servers also print messages
// over several lines, several on a line, without the last newline, or after other words on the same line.
import { type Heard, heardIn, idIn, type Source, seemsAnswer, unread } from './heard.ts'
import { createScan, type Scan } from './scan.ts'

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
