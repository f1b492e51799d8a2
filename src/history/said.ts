// Splits the result of a call that streamed text into this text and the rest, and joins both again.
import type { MessageContent } from '../contract/wire.ts'

/**
 * The text that a result adds to the streamed text. When the result begins with that text, only the remainder counts.
 */
const restOfText = (said: string, text: string): string => {
  if (text.startsWith(said)) return text.slice(said.length)
  return said.endsWith('\n') ? text : `\n${text}`
}

/** The part of a result that follows the streamed text. */
export const restOf = (said: string, content: MessageContent): MessageContent => {
  if (typeof content === 'string') return restOfText(said, content)
  const [first, ...others] = content
  if (typeof first !== 'object' || first.type !== 'text' || !('text' in first)) return content
  return [{ ...first, text: restOfText(said, first.text) }, ...others]
}

/** The whole result: the streamed text, then the rest. */
export const withRest = (said: string, rest: MessageContent): MessageContent => {
  if (typeof rest === 'string') return said + rest
  const [first, ...others] = rest
  if (typeof first !== 'object' || first.type !== 'text' || !('text' in first)) {
    return [{ type: 'text', text: said }, ...rest]
  }
  return [{ ...first, text: said + first.text }, ...others]
}
