// Makes the bodies of frames from items and their parts. frames.ts says which event gives which frames.

import type { TaskEventData } from '../contract/events/task-events.ts'
import type { FrameType } from '../contract/frames.ts'
import type { Block, MessageContent, OutputItem, TextContentItem, ToolResultItem } from '../contract/wire.ts'
import { partsOf } from './items.ts'

export type FrameBody = { type: FrameType } & Record<string, unknown>

/** The family of frame names for a kind of text part. */
const familyOf = (part: TextContentItem['type']) => {
  if (part === 'summary_text')
    return { part: 'reasoning_summary_part', text: 'reasoning_summary_text' } as const
  if (part === 'reasoning_text') return { part: 'content_part', text: 'reasoning_text' } as const
  return { part: 'content_part', text: 'text' } as const
}

export const partAdded = (at: object, part: TextContentItem['type']): FrameBody => ({
  type: `task.${familyOf(part).part}.added`,
  ...at,
  part: { type: part, text: '' },
})
export const delta = (at: object, part: TextContentItem['type'], text: string): FrameBody => ({
  type: `task.${familyOf(part).text}.delta`,
  ...at,
  delta: text,
})
export const partDone = (at: object, part: TextContentItem): FrameBody[] => [
  { type: `task.${familyOf(part.type).text}.done`, ...at, text: part.text },
  { type: `task.${familyOf(part.type).part}.done`, ...at, part },
]

/** The frames of a part whose text comes at once. */
export const wholeText = (
  item_id: string,
  agent_step: number,
  content_index: number,
  type: TextContentItem['type'],
  text: string,
): FrameBody[] => {
  const at = { item_id, agent_step, content_index }
  return [partAdded(at, type), delta(at, type, text), ...partDone(at, { type, text })]
}

export const callDelta = (agent_step: number, item: OutputItem, delta: string): FrameBody[] =>
  item.type !== 'tool_call'
    ? []
    : [
        {
          type: 'task.tool_call_arguments.delta',
          item_id: item.id,
          call_id: item.call_id,
          agent_step,
          delta,
        },
      ]
export const callDone = (agent_step: number, item: OutputItem): FrameBody[] => {
  if (item.type !== 'tool_call') return []
  const { id: item_id, call_id, arguments: args } = item
  return [{ type: 'task.tool_call_arguments.done', item_id, call_id, agent_step, arguments: args }]
}
export const resultAdded = (agent_step: number, item: ToolResultItem): FrameBody => {
  const shell = { ...item, status: 'in_progress' as const, message_content: '', block_list: [] }
  return { type: 'task.output_item.added', agent_step, item: shell }
}
export const resultDone = (agent_step: number, item: ToolResultItem): FrameBody[] => {
  const { id: item_id, call_id, message_content, block_list } = item
  return [
    { type: 'task.tool_result.done', item_id, call_id, agent_step, message_content, block_list },
    { type: 'task.output_item.done', agent_step, item },
  ]
}
/** The frames of a result whose call streamed no text: one whole item. */
export const resultFrames = (agent_step: number, item: ToolResultItem): FrameBody[] => [
  resultAdded(agent_step, item),
  ...resultDone(agent_step, item),
]
export const resultDelta = (
  agent_step: number,
  { id: item_id, call_id }: ToolResultItem,
  delta_message_content: MessageContent,
  delta_block_list: Block[] = [],
): FrameBody => ({
  type: 'task.tool_result.delta',
  ...{ item_id, call_id, agent_step, delta_message_content, delta_block_list },
})
/** Whether a result has more than the text that its call streamed. */
export const hasRest = ({ content, blocks }: TaskEventData<'EffectCompleted'>): boolean =>
  content.length > 0 || blocks !== undefined

/** The parts of an item in the order of their frames: a reasoning item's summary comes first. */
const allParts = (item: OutputItem): { content_index: number; part: TextContentItem }[] => {
  const lists =
    item.type === 'reasoning'
      ? [item.summary, item.content ?? []]
      : item.type === 'message'
        ? [partsOf(item, 'output_text')]
        : []
  return lists.flatMap(parts => parts.map((part, content_index) => ({ content_index, part })))
}

const shellOf = (item: OutputItem): OutputItem => {
  if (item.type === 'message') return { ...item, status: 'in_progress', message_content: [] }
  if (item.type === 'reasoning') {
    return { type: 'reasoning', id: item.id, status: 'in_progress', summary: [] }
  }
  if (item.type === 'tool_call') return { ...item, status: 'in_progress', arguments: '' }
  return item
}

export const itemAdded = (agent_step: number, item: OutputItem): FrameBody => ({
  type: 'task.output_item.added',
  agent_step,
  item: shellOf(item),
})
export const itemDone = (agent_step: number, item: OutputItem): FrameBody[] => [
  ...allParts(item).flatMap(({ content_index, part }) =>
    partDone({ item_id: item.id, agent_step, content_index }, part),
  ),
  { type: 'task.output_item.done', agent_step, item },
]
