// What is streamed: the frames of a task, and public events.
import Type from 'typebox'
import { Frame, FramePage, type FrameType, frameSchemas } from '../../contract/frames.ts'
import { type PublicEventType, publicEventSchemas } from '../../contract/public-events.ts'
import { Position } from '../../contract/responses.ts'
import type { Components } from '../component.ts'
import { envelopeFields } from './envelopes.ts'
import { eventName, frameName, named } from './named.ts'

// The frame of a rollout is the rollout itself.
const { 'task.rollout': _, ...framesOfTheirOwn } = frameSchemas

const frameWords: Record<Exclude<FrameType, 'task.rollout'>, string> = {
  'task.created': 'The task was accepted.',
  'task.queued': 'It waits for its turn.',
  'task.working': 'It works; also after it was answered or resumed.',
  'task.input_required': 'It waits for results of client tools. Ends the stream of a create.',
  'task.paused': 'It is paused. Ends the stream of a create.',
  'task.completed': 'It is done. The last frame.',
  'task.canceled': 'It was canceled. The last frame.',
  'task.expired': 'Its time ran out. The last frame.',
  'task.failed': 'It failed. The last frame.',
  'task.output_item.added': 'An item begins: its text is empty.',
  'task.output_item.done': 'An item is as it will stay; `incomplete` when it was cut off.',
  'task.content_part.added': 'A part of a message, or of a thought, begins.',
  'task.content_part.done': 'A part is whole.',
  'task.text.delta': 'More text of a message.',
  'task.text.done': 'The whole text of a part.',
  'task.reasoning_text.delta': 'More of a thought.',
  'task.reasoning_text.done': 'The whole text of the thought.',
  'task.reasoning_summary_part.added': 'A part of a summary of thoughts begins.',
  'task.reasoning_summary_part.done': 'A part of a summary is whole.',
  'task.reasoning_summary_text.delta': 'More of a summary.',
  'task.reasoning_summary_text.done': 'The whole summary.',
  'task.tool_call_arguments.delta': 'More of the arguments of a call.',
  'task.tool_call_arguments.done': 'The whole arguments.',
  'task.tool_result.delta': 'More of the result of a call that speaks while it runs.',
  'task.tool_result.done':
    'The result of a call, of a tool or of the client. Where there were deltas, it is all of them together.',
  'task.tools_updated': 'The agent is offered other tools from now on.',
  'task.context_compression.created': 'The conversation has become too long for the model.',
  'task.context_compression.in_progress': 'Its older part is being summed up.',
  'task.context_compression.completed': 'The summary stands in its place.',
}
const frameFields = {
  type: 'The type of the frame; also the `event` of the server-sent event.',
  sequence_number: 'Counts the frames of the task from 0, without holes.',
  task_id: 'The task.',
  timestamp: 'When.',
  task: 'The task object as of this frame.',
  input_required: 'The oldest call that waits.',
  error: 'Why it failed.',
  agent_step: 'Counts agent steps, from 1.',
  item: 'The item as of this frame.',
  item_id: 'The item.',
  content_index: 'The number of the part in the item, from 0.',
  part: 'The part as of this frame.',
  delta: 'What is new, to be put at the end.',
  text: 'The whole text of the part.',
  call_id: 'The call.',
  delta_message_content: 'More of the content of the result, to be put at the end.',
  delta_block_list: 'More of its blocks.',
  arguments: 'The arguments as JSON text.',
  message_content: 'The result as the agent sees it.',
  block_list: 'Blocks to render.',
  tools: 'Every tool that is offered.',
  compression_id: 'The summary.',
  usage: 'Tokens that summing up took.',
}

const eventWords: Record<PublicEventType, string> = {
  TaskCreated: 'A task was accepted.',
  TaskUpdated: 'An item of a task is there, or a call was answered.',
  TaskStatusChanged: 'A task moved.',
  TaskDeleted: 'A task was deleted.',
  AgentSpawned: 'A task’s agent begins, just before the task works for the first time.',
  AgentCompleted: 'A task’s agent ended; `success` is false when the task was canceled or expired.',
  AgentError: 'A task’s agent failed.',
  EnvSessionCreated: 'An instance of an environment begins; a closed session may begin again.',
  EnvStepCompleted: 'A step of an environment session was taken.',
  EnvSessionReset: 'An environment session was reset.',
  EnvSessionClosed: 'An environment session was closed, or ended by itself.',
  EnvSessionDeleted: 'An environment session was deleted.',
}
const eventFields = {
  type: 'The type of the event; also the `event` of the server-sent event.',
  timestamp: 'When.',
  task_id: 'The task.',
  session_id: 'The session: of the task, or of the environment.',
  user_id: 'Whose it is.',
  title: 'The first 80 characters of what the user said.',
  sequence_number: 'The last frame of the task’s stream that belongs to the event.',
  changed: 'Fields of the task object whose values changed.',
  reason: 'The reason, if one was given.',
  agent_id: 'The agent, one of its own for each task.',
  parent_agent_id: 'Of a subagent: the agent that called it.',
  workdir: 'The folder of its file tools.',
  status: 'Its status.',
  old_status: 'The status before.',
  new_status: 'The status after.',
  success: 'Whether the task completed.',
  error: 'What went wrong.',
  code: 'The code of the task’s error.',
  env_id: 'The `env_id` of the session.',
  step: 'The number of the step.',
  tool_name: 'The tool that was called.',
  reward: 'The reward of this step.',
  done: 'Whether the episode is over.',
  seed: 'The seed from which the world was made.',
}

/** Any public event. */
export const PublicEvent = Type.Union(Object.values(publicEventSchemas))

export const streamComponents: Components = {
  TaskFrame: {
    schema: Frame,
    about: 'One frame of a task’s stream. More kinds may come: ignore unknown kinds.',
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
    about: 'One event of `/api/events`. More kinds may come: ignore unknown kinds.',
  },
  ...named(publicEventSchemas, eventWords, eventFields, eventName),
  Position: {
    schema: Position,
    about: 'Where the log ends: the first event of a stream that was opened without a cursor.',
    fields: { position: 'The last position of the log.' },
  },
}
