// The result of a call that speaks while it runs: what it has said, and then the rest.
import type { MessageContent } from '../contract/wire.ts'

/** What a result adds to the text that was said. A result that repeats the text adds what follows it. */
const restOfText = (said: string, text: string): string => {
  if (text.startsWith(said)) return text.slice(said.length)
  return said.endsWith('\n') ? text : `\n${text}`
}

/** The part of a result that follows what was said. */
export const restOf = (said: string, content: MessageContent): MessageContent => {
  if (typeof content === 'string') return restOfText(said, content)
  const [first, ...others] = content
  if (typeof first !== 'object' || first.type !== 'text' || !('text' in first)) return content
  return [{ ...first, text: restOfText(said, first.text) }, ...others]
}

/** What was said, and the rest of the result. */
export const withRest = (said: string, rest: MessageContent): MessageContent => {
  if (typeof rest === 'string') return said + rest
  const [first, ...others] = rest
  if (typeof first !== 'object' || first.type !== 'text' || !('text' in first)) {
    return [{ type: 'text', text: said }, ...rest]
  }
  return [{ ...first, text: said + first.text }, ...others]
}
