// A conversation as one text, for a model that sums it up: a record cannot be taken for an order as messages can, and
// any endpoint takes it, whatever tools were called.
import type { Form } from '../contract/task-events.ts'
import type { MessageContent, OutputItem } from '../contract/wire.ts'
import { isSent, thoughtIn } from './messages.ts'

/** Tokens that a model takes when the request does not say. */
export const longestWindow = 131_072
/** What most tokenizers make of most texts, roughly. */
const bytesAToken = 4

const textOf = (content: MessageContent): string =>
  typeof content === 'string'
    ? content
    : content
        .map(part => (typeof part === 'string' ? part : 'text' in part ? part.text : `[${part.type}]`))
        .join('\n')

const line = (item: OutputItem, form: Form): string => {
  if (item.type === 'message') return `${item.role}: ${textOf(item.message_content)}`
  if (item.type === 'tool_call') return `assistant calls ${item.name}: ${item.arguments}`
  if (item.type === 'tool_result') return `result: ${textOf(item.message_content)}`
  return isSent(item, form) ? `assistant thinks: ${thoughtIn(item)}` : ''
}

/** How many tokens an item takes, roughly; what is not text counts as much as its JSON. */
export const tokensOf = (item: OutputItem, form: Form): number => {
  if (!isSent(item, form)) return 0
  return Math.ceil(Buffer.byteLength(JSON.stringify(item)) / bytesAToken)
}

/** The items line by line, cut in the middle when even the model that sums up could not take them. */
export const transcriptOf = (items: OutputItem[], form: Form, window: number): string => {
  const text = items
    .map(item => line(item, form))
    .filter(Boolean)
    .join('\n\n')
  const most = Math.floor((window * bytesAToken * 3) / 4)
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  const left = `[… ${text.length - 2 * half} characters left out …]`
  return `${text.slice(0, half)}\n\n${left}\n\n${text.slice(-half)}`.toWellFormed()
}
