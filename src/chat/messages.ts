// Output items as the messages of a chat completion. An assistant's text and the calls it made with it are one
// message there; a result answers its call by id.
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

/** A content as providers take it: plain text where it is only text, else parts. */
const contentOf = (content: MessageContent): unknown => {
  if (typeof content === 'string') return content
  const parts = content.map(part => {
    if (typeof part === 'string') return textPart(part)
    if ('text' in part) return textPart(part.text)
    if ('image_url' in part) return { type: 'image_url', image_url: part.image_url }
    if ('input_audio' in part) return { type: 'input_audio', input_audio: part.input_audio }
    return { type: 'file', file: part.file }
  })
  const isText = parts.every((part): part is { type: 'text'; text: string } => part.type === 'text')
  return isText ? parts.map(part => part.text).join('\n') : parts
}

const together = (a: unknown, b: unknown): unknown => {
  if (a === null) return b
  if (typeof a === 'string' && typeof b === 'string') return `${a}\n${b}`
  return [a, b].flatMap(content => (typeof content === 'string' ? [textPart(content)] : content))
}

/** What a model is sent: who it is, then everything that was said, in order. */
export const messagesOf = (history: OutputItem[], systemPrompt?: string): ChatMessage[] => {
  const messages: ChatMessage[] = []
  if (systemPrompt) messages.push({ role: 'system', content: systemPrompt })
  for (const item of history) {
    if (item.type === 'reasoning') continue // its own thoughts are not sent back
    if (item.type === 'message') {
      const named = item.name === undefined ? {} : { name: item.name }
      const last = messages.at(-1)
      // What an assistant says beside its calls is one message with them: their results must follow.
      if (item.role === 'assistant' && last?.role === 'assistant' && last.tool_calls !== undefined) {
        last.content = together(last.content, contentOf(item.message_content))
        continue
      }
      messages.push({ role: item.role, content: contentOf(item.message_content), ...named })
    }
    if (item.type === 'tool_call') {
      const { call_id: id, name, arguments: args } = item
      const call: ChatCall = { id, type: 'function', function: { name, arguments: args } }
      const last = messages.at(-1)
      if (last?.role === 'assistant') last.tool_calls = [...(last.tool_calls ?? []), call]
      else messages.push({ role: 'assistant', content: null, tool_calls: [call] })
    }
    if (item.type === 'tool_result') {
      messages.push({ role: 'tool', tool_call_id: item.call_id, content: contentOf(item.message_content) })
    }
  }
  return messages
}

const thoughtIn = (item: OutputItem): string =>
  item.type === 'reasoning'
    ? [...item.summary, ...(item.content ?? [])].map(({ text }) => text).join('\n')
    : ''

/** What a step said, as the assistant's message: with its thoughts, which are never sent back. */
export const answerOf = (said: OutputItem[]): ChatMessage[] => {
  const thought = said.map(thoughtIn).filter(Boolean).join('\n')
  const [first = { role: 'assistant', content: null }, ...rest] = messagesOf(said)
  return [thought === '' ? first : ({ ...first, reasoning_content: thought } as ChatMessage), ...rest]
}

/** Tools as a provider takes them; undefined where there is none: an empty list is an error to some. */
export const toolsOf = (tools: ToolDefinition[]): unknown[] | undefined =>
  tools.length === 0
    ? undefined
    : tools.map(({ function: { name, description, parameters, strict } }) => ({
        type: 'function',
        function: { name, description: description ?? '', parameters, ...(strict ? { strict } : {}) },
      }))
