// Cuts a long message to a host into parts, so that no message on the connection is long.
import { partLength } from '../contract/agent-protocol.ts'

/** Whether a place in a text is between the two halves of one character. */
const isInside = (text: string, at: number): boolean => {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000
}

/** The messages that carry the message `text`: itself, or its parts in order. */
export const partsOf = (text: string, longest = partLength): string[] => {
  if (text.length <= longest) return [text]
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = Math.min(at + longest, text.length)
    const to = isInside(text, end) ? end - 1 : end
    const last = to === text.length ? { last: true } : {}
    parts.push(JSON.stringify({ type: 'part', text: text.slice(at, to), ...last }))
    at = to
  }
  return parts
}
