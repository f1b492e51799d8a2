// The messages of streams: the frames of a task, and public events.
import Type from 'typebox'
import { Frame, FramePage, type FrameType, frameSchemas } from '../../contract/frames.ts'
import { Gap, type PublicEventType, publicEventSchemas } from '../../contract/public-events.ts'
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

const eventWords: Record<PublicEventType, string> = {
  TaskCreated: 'A task was accepted.',
  TaskUpdated: 'A task has a new finished item, or a client answered one of its calls.',
  TaskStatusChanged: 'The status of a task changed.',
  TaskDeleted: 'A task was deleted.',
  AgentSpawned: 'The agent of a task begins, just before the task works for the first time.',
  AgentCompleted: 'The agent of a task ended. `success` is false if the task was canceled or expired.',
  AgentError: 'The agent of a task failed.',
  GroupChatMessage: 'A speaker or the user said something in a group chat.',
  GroupChatAgentThinking: 'The turn of a speaker, or of the moderator, begins in a group chat.',
  GroupChatAgentResponse:
    'The turn of a speaker, or of the moderator, has ended. A GroupChatMessage follows if the content is said in the chat.',
  CronJobTriggered: 'A run of a cron job began: its task was created.',
  CronJobCompleted: 'The task of a run completed.',
  CronJobFailed:
    'The task of a run failed, was canceled or expired, or the server refused to create it. `reason` is `failed`, `canceled`, `expired` or the reason of the refusal.',
  EnvSessionCreated: 'An environment session begins with a new instance. A closed session may begin again.',
  EnvStepCompleted: 'A step of an environment session was taken.',
  EnvSessionReset: 'An environment session was reset.',
  EnvSessionClosed: 'An environment session was closed by a client or by the server.',
  EnvSessionDeleted: 'An environment session was deleted.',
  WebhookDisabled: 'The server disabled a webhook whose deliveries fail.',
}
const eventFields = {
  type: 'The type of the event. The `event` of the server-sent event is the same.',
  timestamp: 'When the event happened.',
  task_id: 'The id of the task.',
  session_id: 'The id of the chat session of the task, or of the environment session.',
  user_id: 'The user who owns the task or the environment session.',
  title: 'The first 80 characters of the user’s message.',
  sequence_number: 'The number of the last frame that the event gave in the task’s stream.',
  changed: 'The fields of the task object whose values changed.',
  reason: 'The reason, if one was given.',
  agent_id:
    'The id of the agent. Each task has an agent id of its own. A message of the user in a group chat has the agent id of the chat.',
  group_chat_id: 'The id of the group chat, which is the id of its task.',
  name: 'The name of the speaker; `user` for the user. In events of cron jobs: the name of the job.',
  round: 'The number of the round, from 1.',
  message_id: 'The id of the message: an item of the chat’s output.',
  role: 'The role of the message.',
  content: 'What was said.',
  usage: 'The tokens that the turn used; empty if none were counted.',
  parent_agent_id: 'The id of the agent that called this subagent.',
  workdir: 'The folder in which the agent’s file tools work.',
  status: 'The status of the task.',
  forked_from: 'In a fork: the task from which it comes, and the frame `at` which its past ends.',
  old_status: 'The status of the task before.',
  new_status: 'The status of the task now.',
  pending_inputs:
    'Only with the new status `input-required`: the calls that wait for the client, oldest first, at most 16. `arguments` is JSON text, and absent if it is longer than 4,096 characters.',
  success: 'Whether the task completed.',
  error: 'A text that says what went wrong.',
  code: 'The code of the task’s error.',
  env_id: 'The `env_id` of the session.',
  step: 'The number of the step.',
  tool_name: 'The tool that was called.',
  reward: 'The reward of this step.',
  done: 'Whether the episode is over.',
  seed: 'The seed of the reset.',
  webhook_id: 'The id of the webhook.',
  job_id: 'The id of the cron job.',
  run_id: 'The id of the run.',
  scheduled_at: 'The time of the schedule for which the run began.',
  duration_ms: 'Milliseconds from the creation of the task to its end.',
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
  ...named(publicEventSchemas, eventWords, eventFields, eventName),
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
