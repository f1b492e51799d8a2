// The frames of a task's public stream. The type of each kind of frame is defined only here. src/history/frames.ts says
// which events give which frames.
import Type, { type TObject, type TProperties } from 'typebox'
import { RolloutEntry } from './responses.ts'
import {
  Block,
  ErrorObject,
  MessageContent,
  OutputItem,
  PendingCallItem,
  Task,
  TextContentItem,
  ToolDefinition,
} from './wire.ts'

const Text = Type.String()
const { usage: Usage } = Type.Required(Task).properties
const timestamp = Type.String({ format: 'date-time' })
const agent_step = Type.Integer({ minimum: 1 })

const moved = { timestamp }
const withTask = { timestamp, task: Task }
const item = { agent_step, item: OutputItem }
const inPart = { item_id: Text, agent_step, content_index: Type.Integer({ minimum: 0 }) }
const part = { ...inPart, part: TextContentItem }
const delta = { ...inPart, delta: Text }
const whole = { ...inPart, text: Text }
const ofCall = { item_id: Text, call_id: Text, agent_step }
const compression = { agent_step, compression_id: Text }

const frames = {
  'task.created': withTask,
  'task.queued': moved,
  'task.working': moved,
  'task.input_required': { ...withTask, input_required: PendingCallItem },
  'task.paused': withTask,
  'task.completed': withTask,
  'task.canceled': withTask,
  'task.expired': withTask,
  'task.failed': { ...withTask, error: ErrorObject },
  'task.output_item.added': item,
  'task.output_item.done': item,
  'task.content_part.added': part,
  'task.content_part.done': part,
  'task.text.delta': delta,
  'task.text.done': whole,
  'task.reasoning_text.delta': delta,
  'task.reasoning_text.done': whole,
  'task.reasoning_summary_part.added': part,
  'task.reasoning_summary_part.done': part,
  'task.reasoning_summary_text.delta': delta,
  'task.reasoning_summary_text.done': whole,
  'task.tool_call_arguments.delta': { ...ofCall, delta: Text },
  'task.tool_call_arguments.done': { ...ofCall, arguments: Text },
  'task.tool_result.delta': {
    ...ofCall,
    delta_message_content: MessageContent,
    delta_block_list: Type.Array(Block),
  },
  'task.tool_result.done': { ...ofCall, message_content: MessageContent, block_list: Type.Array(Block) },
  'task.tools_updated': { tools: Type.Array(ToolDefinition) },
  'task.context_compression.created': compression,
  'task.context_compression.in_progress': compression,
  'task.context_compression.completed': { ...compression, usage: Usage },
} satisfies Record<string, TProperties>

export type FrameType = keyof typeof frames | 'task.rollout'

/** The schema of each frame, by its name. A frame is the `result` of the envelope on the wire. */
export const frameSchemas = {
  ...Object.fromEntries(
    Object.entries(frames).map(([type, fields]) => [
      type,
      Type.Object({
        type: Type.Literal(type),
        sequence_number: Type.Integer({ minimum: 0 }),
        task_id: Text,
        ...fields,
      }),
    ]),
  ),
  'task.rollout': RolloutEntry,
} as unknown as Record<FrameType, TObject>
export const Frame = Type.Union(Object.values(frameSchemas))
/** A page of frames. */
export const FramePage = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Text,
  result: Type.Array(Frame),
  has_more: Type.Boolean(),
})
