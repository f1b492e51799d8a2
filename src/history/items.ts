// Makes and changes output items. A changed item is a new object, so an item that a reader holds stays as it was.
import type { ItemKind, PartKind, TextPartKind } from '../contract/events/task-events.ts'
import type { Annotation, Logprob, OutputItem, TextContentItem, ToolResultItem } from '../contract/wire.ts'

export type NamedCall = { call_id: string; name: string }

/** An item that has just begun. */
export const emptyItem = (id: string, item: ItemKind, call?: NamedCall): OutputItem => {
  const status = 'in_progress'
  if (item === 'message') return { type: 'message', id, status, role: 'assistant', message_content: [] }
  if (item === 'reasoning') return { type: 'reasoning', id, status, summary: [] }
  if (call === undefined) throw new Error(`${id} is a call without a name`)
  return { type: 'tool_call', id, status, ...call, arguments: '' }
}

/** The text parts of one kind, which `content_index` counts. */
export const partsOf = (item: OutputItem, part: TextPartKind): TextContentItem[] => {
  if (item.type === 'reasoning') return part === 'summary_text' ? item.summary : (item.content ?? [])
  if (item.type === 'message') return item.message_content as TextContentItem[]
  return []
}

const withParts = (item: OutputItem, part: TextPartKind, parts: TextContentItem[]): OutputItem => {
  if (item.type === 'message') return { ...item, message_content: parts }
  if (item.type !== 'reasoning') return item
  return part === 'summary_text' ? { ...item, summary: parts } : { ...item, content: parts }
}

/** The item with more text at the end of one of its parts. */
export const withDelta = (
  item: OutputItem,
  part: PartKind,
  index: number,
  delta: string,
  { logprobs, annotations }: { logprobs?: Logprob[]; annotations?: Annotation[] } = {},
): OutputItem => {
  if (item.type === 'tool_call') return { ...item, arguments: item.arguments + delta }
  if (part === 'arguments') return item
  const parts = [...partsOf(item, part)]
  const before = parts[index]
  const probable = logprobs === undefined ? before?.logprobs : [...(before?.logprobs ?? []), ...logprobs]
  const sources =
    annotations === undefined ? before?.annotations : [...(before?.annotations ?? []), ...annotations]
  parts[index] = { type: part, text: (before?.text ?? '') + delta }
  if (sources !== undefined) parts[index].annotations = sources
  if (probable !== undefined) parts[index].logprobs = probable
  return withParts(item, part, parts)
}

/** The item with these texts as its parts. */
export const withTexts = (item: OutputItem, part: PartKind, texts: string[]): OutputItem => {
  if (item.type === 'tool_call') return { ...item, arguments: texts.join('') }
  if (part === 'arguments') return item
  return withParts(
    item,
    part,
    texts.map(text => ({ type: part, text })),
  )
}

export const resultItem = (
  id: string,
  call_id: string,
  status: 'completed' | 'incomplete',
  message_content: ToolResultItem['message_content'],
  block_list: ToolResultItem['block_list'] = [],
): ToolResultItem => ({ type: 'tool_result', id, status, call_id, message_content, block_list })
