// Cuts the output of a step so that it fits in a line of the protocol. The service then cuts it to its exact length in
// bytes and marks the cut.
import type { MessageContent } from '../../contract/wire.ts'
import { maxContent } from '../cut.ts'
import { isObject } from '../protocol.ts'

const longest = maxContent + 1 // one character more shows the service that the output was longer

export const within = (content: MessageContent): MessageContent => {
  if (typeof content === 'string') return content.slice(0, longest)
  if (!Array.isArray(content)) return content
  return content.map(part => {
    if (typeof part === 'string') return part.slice(0, longest)
    if (!isObject(part) || !('text' in part)) return part
    return { ...part, text: String(part.text).slice(0, longest) }
  })
}

/** Sends only as much output as the service keeps. */
export const outputOf = (send: (text: string) => void): ((text: unknown) => void) => {
  let room = longest
  return output => {
    const text = String(output).slice(0, room)
    room -= text.length
    if (text !== '') send(text)
  }
}
