// The messages of streams: the frames of a task, and public events.
import Type from 'typebox'
import {
  eventFields,
  Gap,
  publicEventSchemas,
  publicEventWords,
} from '../../contract/events/public-events.ts'
import { Frame, FramePage, type FrameType, frameSchemas } from '../../contract/frames.ts'
import { Position } from '../../contract/responses.ts'
import type { Components } from '../component.ts'
import { envelopeFields } from './envelopes.ts'
import { eventName, frameName, named } from './named.ts'

// The frame of a rollout is the rollout itself.
const { 'task.rollout': _, ...framesOfTheirOwn } = frameSchemas

const frameWords: Record<Exclude<FrameType, 'task.rollout'>, string> = {
  'task.created': 'The task was accepted.',
  'task.queued': 'The task waits for its turn.',
  'task.working': 'The task works. This frame is also sent after the task was answered or resumed.',
  'task.input_required':
    'The task waits for results of client tools. This frame ends the stream of `createTask`.',
  'task.paused': 'The task is paused. This frame ends the stream of `createTask`.',
  'task.completed': 'The task is completed. This is its last frame.',
  'task.canceled': 'The task was canceled. This is its last frame.',
  'task.expired': 'The time of the task ran out. This is its last frame.',
  'task.failed': 'The task failed. This is its last frame.',
  'task.output_item.added': 'An item begins. Its text is still empty.',
  'task.output_item.done': 'An item is finished. Its status is `incomplete` if it was cut off.',
  'task.content_part.added': 'A part of a message, or of a thought, begins.',
  'task.content_part.done': 'A part is finished.',
  'task.text.delta': 'More text of a message.',
  'task.text.done': 'The whole text of a part.',
  'task.reasoning_text.delta': 'More text of a thought.',
  'task.reasoning_text.done': 'The whole text of the thought.',
  'task.reasoning_summary_part.added': 'A part of a summary of thoughts begins.',
  'task.reasoning_summary_part.done': 'A part of a summary of thoughts is finished.',
  'task.reasoning_summary_text.delta': 'More text of a summary of thoughts.',
  'task.reasoning_summary_text.done': 'The whole text of the summary.',
  'task.tool_call_arguments.delta': 'More text of the arguments of a call.',
  'task.tool_call_arguments.done': 'The whole arguments of a call.',
  'task.tool_result.delta': 'More of the result of a call, which streams its output while it runs.',
  'task.tool_result.done':
    'The whole result of a call, from a tool of the server or from the client. If there were deltas, the result is their sum.',
  'task.tools_updated': 'From now on the agent is offered the tools of this list.',
  'task.context_compression.created': 'The conversation has become too long for the model.',
  'task.context_compression.in_progress': 'The model summarizes the older part of the conversation.',
  'task.context_compression.completed': 'The summary has replaced the older part of the conversation.',
}
const frameFields = {
  type: 'The type of the frame. The `event` of the server-sent event is the same.',
  sequence_number: 'The number of the frame: frames of a task are counted from 0, without holes.',
  task_id: 'The id of the task.',
  timestamp: 'When the event of this frame happened.',
  task: 'The task object as of this frame.',
  input_required: 'The oldest call that waits for the client.',
  error: 'Why the task failed.',
  agent_step: 'The number of the agent step, from 1.',
  item: 'The item as of this frame.',
  item_id: 'The id of the item.',
  content_index: 'The number of the part in the item, from 0.',
  part: 'The part as of this frame.',
  delta: 'The new text. Append it to the text so far.',
  text: 'The whole text of the part.',
  call_id: 'The id of the call.',
  delta_message_content: 'New content of the result. Append it to the content so far.',
  delta_block_list: 'New blocks of the result. Append them to the blocks so far.',
  arguments: 'The arguments as JSON text.',
  message_content: 'The result as the agent sees it.',
  block_list: 'Blocks to render.',
  tools: 'Every tool that is offered.',
  compression_id: 'The id of the summary.',
  usage: 'The tokens that the model used to make the summary.',
}

/** Any public event. */
export const PublicEvent = Type.Union(Object.values(publicEventSchemas))

export const streamComponents: Components = {
  TaskFrame: {
    schema: Frame,
    about:
      'One frame of a task’s stream. Later versions may send further kinds of frames: ignore unknown kinds.',
  },
  ...named(framesOfTheirOwn, frameWords, frameFields, frameName),
  TaskFramePage: {
    schema: FramePage,
    about: 'A page of a task’s stream.',
    fields: {
      ...envelopeFields,
      result: 'Frames, oldest first.',
      has_more: 'Whether there are more frames at present.',
    },
  },
  PublicEvent: {
    schema: PublicEvent,
    about:
      'One event of `/api/events`. Later versions may send further kinds of events: ignore unknown kinds.',
  },
  ...named(publicEventSchemas, publicEventWords, eventFields, eventName),
  Gap: {
    schema: Gap,
    about:
      'Stands where erased events stood, when a stream shows past events. Every filter of types lets it pass.',
    fields: {
      type: 'Always `Gap`.',
      timestamp: 'The time of the last of these events.',
      from: 'The position of the first of these events.',
      to: 'The position of the last of these events.',
      reason: 'Always `erased`.',
      task_id: 'The task to which the events belonged.',
      session_id: 'The session to which the events belonged.',
    },
  },
  Position: {
    schema: Position,
    about: 'The first event of a stream that a client opened without a cursor. It says where the log ends.',
    fields: { position: 'The last position of the log.' },
  },
}
