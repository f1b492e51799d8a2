// Writes a conversation as one text for a model that sums it up. A model might follow instructions in messages, but
// reads the text as a record. And every endpoint accepts a text, whatever tools were called.
import type { MessageContent, OutputItem } from '../contract/wire.ts'
import { isBrought, thoughtIn } from './turns.ts'

/** The context window in tokens when the request names none. */
export const longestWindow = 131_072
/** Bytes per token, roughly, for most tokenizers and texts. */
const bytesAToken = 4

const contentText = (content: MessageContent): string =>
  typeof content === 'string'
    ? content
    : content
        .map(part => (typeof part === 'string' ? part : 'text' in part ? part.text : `[${part.type}]`))
        .join('\n')

const line = (item: OutputItem): string => {
  if (item.type === 'message') return `${item.role}: ${contentText(item.message_content)}`
  if (item.type === 'tool_call') return `assistant calls ${item.name}: ${item.arguments}`
  if (item.type === 'tool_result') return `result: ${contentText(item.message_content)}`
  return isBrought(item) ? `assistant thinks: ${thoughtIn(item)}` : ''
}

/** The tokens of an item, roughly, estimated from the length of its JSON. */
export const tokensOf = (item: OutputItem): number => {
  if (item.type === 'reasoning' && !isBrought(item)) return 0
  return Math.ceil(Buffer.byteLength(JSON.stringify(item)) / bytesAToken)
}

/** The items line by line. A text that is too long for the summarizing model is cut in the middle. */
export const transcriptOf = (items: OutputItem[], window: number): string => {
  const text = items.map(line).filter(Boolean).join('\n\n')
  const max = Math.floor((window * bytesAToken * 3) / 4)
  if (text.length <= max) return text
  const half = Math.floor(max / 2)
  const left = `[… ${text.length - 2 * half} characters left out …]`
  return `${text.slice(0, half)}\n\n${left}\n\n${text.slice(-half)}`.toWellFormed()
}
