// Turns output items into the messages of a chat completion. In these messages, an assistant's text and its calls are
// one message, and a result names its call by id.
import type { MessageContent, OutputItem, ToolDefinition } from '../contract/wire.ts'

export type ChatCall = { id: string; type: 'function'; function: { name: string; arguments: string } }
export type ChatMessage =
  | { role: 'system' | 'developer' | 'user'; content: unknown; name?: string }
  | {
      role: 'assistant'
      content: unknown
      reasoning_content?: string
      tool_calls?: ChatCall[]
      name?: string
    }
  | { role: 'tool'; tool_call_id: string; content: unknown }

const textPart = (text: string) => ({ type: 'text', text })

/** A content as providers take it: a string for one text, else parts. */
const contentOf = (content: MessageContent): unknown => {
  if (typeof content === 'string') return content
  const parts = content.map(part => {
    if (typeof part === 'string') return textPart(part)
    if ('text' in part) return textPart(part.text)
    if ('image_url' in part) return { type: 'image_url', image_url: part.image_url }
    if ('input_audio' in part) return { type: 'input_audio', input_audio: part.input_audio }
    return { type: 'file', file: part.file }
  })
  const [first = textPart(''), ...more] = parts
  return more.length === 0 && 'text' in first ? first.text : parts
}

const together = (a: unknown, b: unknown): unknown => {
  if (a === null) return b
  if (typeof a === 'string' && typeof b === 'string') return `${a}\n${b}`
  return [a, b].flatMap(content => (typeof content === 'string' ? [textPart(content)] : content))
}

/** Whether a message is empty. Some endpoints refuse empty messages. */
const isEmpty = (message: ChatMessage): boolean => {
  if (message.role === 'tool' || ('tool_calls' in message && message.tool_calls !== undefined)) return false
  const { content } = message
  if (typeof content === 'string') return content === ''
  return Array.isArray(content) && content.every(part => part.type === 'text' && part.text === '')
}

/**
 * Whether an item is sent to a model. Thoughts of the agent are not sent. Thoughts that came with a request, which have
 * no status in a context, are sent.
 */
export const isSent = ({ type, status }: OutputItem): boolean => type !== 'reasoning' || status === undefined

/** The messages that a model is sent: the system prompt, then the conversation in order. */
export const messagesOf = (history: OutputItem[], systemPrompt?: string): ChatMessage[] => {
  const messages: ChatMessage[] = []
  /** The newest message, as long as it holds only thoughts. */
  let thinking: ChatMessage | undefined
  for (const item of history) {
    const last = messages.at(-1)
    // An assistant's text and its calls are one message, since the results must follow the calls.
    const goesOn = last?.role === 'assistant' && (last.tool_calls !== undefined || last === thinking)
    if (item.type === 'reasoning') {
      const thought = thoughtIn(item)
      if (thought === '' || !isSent(item)) continue
      // Every endpoint takes text, but many refuse or drop unknown fields for thoughts.
      const content = `[thought] ${thought}`
      if (goesOn) last.content = together(last.content, content)
      else {
        thinking = { role: 'assistant', content }
        messages.push(thinking)
      }
    }
    if (item.type === 'message') {
      const named = item.name === undefined ? {} : { name: item.name }
      const content = contentOf(item.message_content)
      if (item.role === 'assistant' && goesOn) {
        last.content = together(last.content, content)
        if (last === thinking) Object.assign(last, named)
        thinking = undefined
        continue
      }
      messages.push({ role: item.role, content, ...named })
    }
    if (item.type === 'tool_call') {
      const { call_id: id, name, arguments: args } = item
      const call: ChatCall = { id, type: 'function', function: { name, arguments: args } }
      if (last?.role === 'assistant') last.tool_calls = [...(last.tool_calls ?? []), call]
      else messages.push({ role: 'assistant', content: null, tool_calls: [call] })
    }
    if (item.type === 'tool_result') {
      const content = contentOf(item.message_content)
      messages.push({ role: 'tool', tool_call_id: item.call_id, content })
    }
  }
  const said = messages.filter(message => !isEmpty(message))
  const sent = said.length > 0 ? said : messages
  return systemPrompt ? [{ role: 'system', content: systemPrompt }, ...sent] : sent
}

/** The text of a thought. */
export const thoughtIn = (item: OutputItem): string =>
  item.type === 'reasoning'
    ? [...item.summary, ...(item.content ?? [])].map(({ text }) => text).join('\n')
    : ''

/** The items of a step as the assistant's message, with its thoughts, which are never sent to a model again. */
export const answerOf = (said: OutputItem[]): ChatMessage[] => {
  const thought = said.map(thoughtIn).filter(Boolean).join('\n')
  const [first = { role: 'assistant', content: null }, ...rest] = messagesOf(said)
  return [thought === '' ? first : ({ ...first, reasoning_content: thought } as ChatMessage), ...rest]
}

/** Tools as a provider takes them; undefined when there are none, since some providers refuse an empty list. */
export const toolsOf = (tools: ToolDefinition[]): unknown[] | undefined =>
  tools.length === 0
    ? undefined
    : tools.map(({ function: { name, description, parameters, strict } }) => ({
        type: 'function',
        function: { name, description: description ?? '', parameters, ...(strict ? { strict } : {}) },
      }))
