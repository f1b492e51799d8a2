// Reads the input of a response as items of a conversation, and shows items of a task as input.
import type { ResponseInputItem, ResponsePart } from '../../../contract/openai/responses.ts'
import type { ContentPart, MessageContent, OutputItem, ToolResultItem } from '../../../contract/wire.ts'
import type { Given, GivenMessage, GivenResult } from '../../answers.ts'
import { bare, withTask } from '../../ids.ts'
import { OpenAIProblem } from '../errors.ts'

const partOf = (part: ResponsePart, at: string): ContentPart => {
  if (part.type === 'refusal') return { type: 'refusal', text: part.refusal }
  if (part.type === 'input_image') {
    const { image_url: url, detail } = part
    return { type: 'input_image', image_url: { url, ...(detail ? { detail } : {}) } }
  }
  if (part.type === 'input_audio') return { type: 'input_audio', input_audio: part.input_audio }
  if (part.type !== 'input_file') return { type: part.type, text: part.text }
  const { file_data, file_url } = part
  const filename = part.filename || 'file'
  if (file_data) return { type: 'file', file: { file_data, filename } }
  if (file_url) return { type: 'file', file: { file_url, filename } }
  throw new OpenAIProblem(at, 'A file needs file_data or file_url: the server stores no files of its own')
}

const contentOf = (content: string | ResponsePart[], at: string): MessageContent =>
  typeof content === 'string' ? content : content.map((part, n) => partOf(part, `${at}[${n}]`))

/** Text parts of a reasoning item. */
const thoughts = <T extends 'summary_text' | 'reasoning_text'>(type: T, parts: readonly { text: string }[]) =>
  parts.map(({ text }) => ({ type, text }))

type Message = Extract<OutputItem, { type: 'message' }>
export const isUserMessage = (item: OutputItem): item is Message =>
  item.type === 'message' && item.role === 'user'

/**
 * What reading an input needs. `refer`: finds the items that a reference means. `digest`: that of the whole body, which the
 * ids of items without one are made of, so that a repeated body has the same ids.
 */
type Means = { refer: (id: string) => Promise<OutputItem[]>; digest: () => string }

/** The items of a conversation that an item of the input stands for. */
const itemsOf = async (
  item: ResponseInputItem,
  at: string,
  { refer, ownId }: Means & { ownId: () => string },
): Promise<OutputItem[]> => {
  const id = 'id' in item && item.id ? { id: item.id } : {}
  switch (item.type) {
    case 'function_call': {
      const { name, arguments: args } = item
      return [{ type: 'tool_call', ...id, call_id: bare(item.call_id), name, arguments: args }]
    }
    case 'function_call_output': {
      const message_content = contentOf(item.output, `${at}.output`)
      return [{ type: 'tool_result', ...id, call_id: bare(item.call_id), message_content, block_list: [] }]
    }
    case 'mcp_call': {
      const { name, arguments: args, output, error } = item
      const call_id = bare(item.id)
      const failed = error != null && { status: 'incomplete' as const }
      const said = output ?? (error == null ? '' : typeof error === 'string' ? error : JSON.stringify(error))
      return [
        { type: 'tool_call', call_id, name, arguments: args },
        { type: 'tool_result', call_id, ...failed, message_content: said, block_list: [] },
      ]
    }
    case 'reasoning': {
      const { summary, content } = item
      const shown = thoughts('summary_text', summary)
      const own = content ? { content: thoughts('reasoning_text', content) } : {}
      return [{ type: 'reasoning', id: item.id || ownId(), summary: shown, ...own }]
    }
    case 'item_reference':
      return refer(item.id)
    default: {
      const { role, content } = item
      return [{ type: 'message', ...id, role, message_content: contentOf(content, `${at}.content`) }]
    }
  }
}

/** What the input of a response says. */
export type Input = Given & { items: OutputItem[] }

const failedOf = (status: string | null | undefined) =>
  status === 'incomplete' ? { failed: true as const } : {}

/** Whether an item shows that the agent has gone on after results before it. */
const isOfAgent = (item: ResponseInputItem): boolean =>
  item.type === 'mcp_call' ||
  item.type === 'reasoning' ||
  ((item.type === undefined || item.type === 'message') && item.role === 'assistant')

/** The results are all since the agent has gone on, since only the task that asked for them knows which are new. */
export const readInput = async (input: string | ResponseInputItem[], means: Means): Promise<Input> => {
  if (typeof input === 'string') {
    const none = { list: 'input', results: [], messages: [] }
    return { ...none, items: [{ type: 'message', role: 'user', message_content: input }] }
  }
  const items: OutputItem[] = []
  let results: GivenResult[] = []
  const messages: GivenMessage[] = []
  for (const [n, item] of input.entries()) {
    const at = `input[${n}]`
    items.push(...(await itemsOf(item, at, { ...means, ownId: () => `rs_${means.digest()}_${n}` })))
    if (isOfAgent(item)) results = []
    else if (item.type === undefined || item.type === 'message') {
      messages.push({ at: n, role: item.role, content: contentOf(item.content, `${at}.content`) })
    }
    if (item.type !== 'function_call_output') continue
    const content = contentOf(item.output, `${at}.output`)
    results.push({ at: n, callId: item.call_id, content, ...failedOf(item.status) })
  }
  return { list: 'input', items, results, messages }
}

const inputPart = (part: ContentPart): Record<string, unknown> => {
  if (typeof part === 'string') return { type: 'input_text', text: part }
  if ('text' in part) {
    if (part.type === 'refusal') return { type: 'refusal', refusal: part.text }
    return part.type === 'output_text'
      ? { type: 'output_text', text: part.text, annotations: [] }
      : { type: 'input_text', text: part.text }
  }
  if ('image_url' in part) {
    const { url, detail = 'auto' } = part.image_url
    return { type: 'input_image', image_url: url, detail }
  }
  if ('file' in part) return { type: 'input_file', ...part.file }
  return { type: 'input_audio', input_audio: part.input_audio }
}
const inputContent = (content: MessageContent, ofAgent = false): Record<string, unknown>[] => {
  if (typeof content !== 'string') return content.map(inputPart)
  return [
    ofAgent ? { type: 'output_text', text: content, annotations: [] } : { type: 'input_text', text: content },
  ]
}

/** A result that the client has sent, as input. */
export const answerShown = (
  { id = '', call_id, message_content, status }: ToolResultItem,
  taskId: string,
) => ({
  type: 'function_call_output',
  id: withTask(id, taskId),
  call_id: withTask(call_id, taskId),
  output: typeof message_content === 'string' ? message_content : inputContent(message_content),
  status: status ?? 'completed',
})

/** An item of the conversation with which a task began, as input. */
export const itemShown = (
  item: OutputItem,
  taskId: string,
): { type: string; id: string } & Record<string, unknown> => {
  const id = bare(item.id ?? '')
  const status = 'completed'
  if (item.type === 'reasoning') return { ...item, id: withTask(id, taskId) }
  if (item.type === 'tool_result') return answerShown({ ...item, id }, taskId)
  if (item.type === 'tool_call') {
    const { call_id, name, arguments: args } = item
    const named = { name, arguments: args, status }
    return { type: 'function_call', id: withTask(id, taskId), call_id: withTask(call_id, taskId), ...named }
  }
  const { role, message_content } = item
  const content = inputContent(message_content, role === 'assistant')
  return { type: 'message', id: withTask(id, taskId), role, status, content }
}
