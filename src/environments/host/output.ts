// What a step says, kept within a line of the protocol: the service cuts it to the byte, and says that it did.
import type { MessageContent } from '../../contract/wire.ts'
import { mostContent } from '../cut.ts'
import { isObject } from '../protocol.ts'

const longest = mostContent + 1 // by the one more it is seen that there was more

export const within = (content: MessageContent): MessageContent => {
  if (typeof content === 'string') return content.slice(0, longest)
  if (!Array.isArray(content)) return content
  return content.map(part => {
    if (typeof part === 'string') return part.slice(0, longest)
    if (!isObject(part) || !('text' in part)) return part
    return { ...part, text: String(part.text).slice(0, longest) }
  })
}

/** Says no more than is kept. */
export const outputOf = (send: (text: string) => void): ((text: unknown) => void) => {
  let room = longest
  return given => {
    const text = String(given).slice(0, room)
    room -= text.length
    if (text !== '') send(text)
  }
}
