// The items of a conversation: messages, reasoning, tool calls and results.
import Type, { type Static } from 'typebox'
import { Block, MessageContent, TextContentItem } from './content.ts'
import { AsciiId, TextId } from './ids.ts'
import { OpenObject, optional } from './schema.ts'

const itemStatus = Type.Enum(['in_progress', 'completed', 'incomplete'])
export type ItemStatus = Static<typeof itemStatus>

export const ReasoningItem = Type.Object({
  type: Type.Literal('reasoning'),
  id: TextId,
  summary: Type.Array(TextContentItem),
  content: optional(Type.Array(TextContentItem)),
  status: optional(itemStatus),
})
export const MessageItem = Type.Object({
  type: Type.Literal('message'),
  id: optional(TextId),
  status: optional(itemStatus),
  role: Type.Enum(['user', 'assistant', 'system', 'developer']),
  name: optional(Type.String()),
  message_content: MessageContent,
  block_list: optional(Type.Array(Block)),
})
export const ToolCallItem = Type.Object({
  type: Type.Literal('tool_call'),
  id: optional(TextId),
  status: optional(itemStatus),
  call_id: AsciiId,
  name: Type.String(),
  arguments: Type.String(),
  language: optional(Type.Enum(['json', 'yaml', 'python', 'javascript'])),
})
/**
 * What a call that waits says of its wait: `approval`, if it waits for an approval; `schema`: that of its answer. `asked_by`: the
 * tool server that asks (`mcp:<server>`), and not the agent; `url`: the page on which the user answers it.
 */
export const PendingMetadata = Type.Object({
  approval: optional(Type.Literal(true)),
  schema: optional(OpenObject),
  asked_by: optional(Type.String()),
  url: optional(Type.String()),
})
/** A call that waits, for the client or for an approval. */
export const PendingCallItem = Type.Object({
  ...ToolCallItem.properties,
  metadata: optional(PendingMetadata),
})
export const ToolResultItem = Type.Object({
  type: Type.Literal('tool_result'),
  id: optional(TextId),
  status: optional(itemStatus),
  call_id: AsciiId,
  message_content: MessageContent,
  block_list: Type.Array(Block),
})
export const OutputItem = Type.Union([ReasoningItem, MessageItem, ToolCallItem, ToolResultItem])
export type ReasoningItem = Static<typeof ReasoningItem>
export type MessageItem = Static<typeof MessageItem>
export type ToolCallItem = Static<typeof ToolCallItem>
export type PendingMetadata = Static<typeof PendingMetadata>
export type PendingCallItem = Static<typeof PendingCallItem>
export type ToolResultItem = Static<typeof ToolResultItem>
export type OutputItem = Static<typeof OutputItem>
