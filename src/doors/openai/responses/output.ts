// Items of a task as output items of a response. A call that the client runs is a `function_call`. A call that the server
// has run is an `mcp_call`, the form of OpenAI for calls that no client must run.
import type { Item } from '../../../contract/openai/responses.ts'
import type {
  MessageContent,
  OutputItem,
  PendingCallItem,
  TextContentItem,
  ToolCallItem,
  ToolResultItem,
} from '../../../contract/wire.ts'
import { withTask } from '../../ids.ts'

export const partShown = ({ type, text, annotations, logprobs }: TextContentItem): Item => {
  if (type === 'refusal') return { type, refusal: text }
  if (type === 'summary_text' || type === 'reasoning_text') return { type, text }
  return { type: 'output_text', text, annotations: annotations ?? [], logprobs: logprobs ?? [] }
}

/** The text of a content. Other parts are left out. */
export const textOf = (content: MessageContent): string =>
  typeof content === 'string'
    ? content
    : content.map(part => (typeof part === 'string' ? part : 'text' in part ? part.text : '')).join('')

const partsOf = (content: MessageContent): TextContentItem[] =>
  typeof content === 'string'
    ? [{ type: 'output_text', text: content }]
    : content.flatMap(part => (typeof part === 'object' && 'text' in part ? [part] : []))

type Said = Extract<OutputItem, { type: 'message' | 'reasoning' }>

/** What an agent says or thinks; undefined: the item is something else. */
export const saidIn = (item: unknown): Said | undefined => {
  const { type, role } = (item ?? {}) as { type?: string; role?: string }
  return type === 'reasoning' || (type === 'message' && role === 'assistant') ? (item as Said) : undefined
}

export const saidShown = (item: Said, taskId: string): Item => {
  const id = withTask(item.id ?? '', taskId)
  const status = item.status ?? 'completed'
  if (item.type === 'message') {
    const content = partsOf(item.message_content).map(partShown)
    return { type: 'message', id, status, role: 'assistant', content }
  }
  const content = item.content === undefined ? {} : { content: item.content.map(partShown) }
  return { type: 'reasoning', id, status, summary: item.summary.map(partShown), ...content }
}

/** The item of a step that broke off. It keeps its place; what it said was said again. */
export const withoutText = (item: Item): Item =>
  item.type === 'message'
    ? { ...item, content: [] }
    : { ...item, summary: [], ...(item.content ? { content: [] } : {}) }

export const functionCall = (
  { id = '', call_id, name, arguments: args }: PendingCallItem,
  taskId: string,
) => ({
  type: 'function_call',
  id: withTask(id, taskId),
  call_id: withTask(call_id, taskId),
  name,
  arguments: args,
  status: 'completed',
})

export const serverCall = (
  { call_id, name, arguments: args }: ToolCallItem,
  result: ToolResultItem,
  taskId: string,
) => {
  const text = textOf(result.message_content)
  const failed = result.status === 'incomplete'
  return {
    type: 'mcp_call',
    id: withTask(call_id, taskId),
    server_label: 'reprise',
    name,
    arguments: args,
    approval_request_id: null,
    output: failed ? null : text,
    error: failed ? text : null,
    status: failed ? 'failed' : 'completed',
  }
}
