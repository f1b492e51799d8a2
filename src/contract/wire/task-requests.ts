// The bodies of the requests about tasks.
import Type, { type Static } from 'typebox'
import { AgentConfig } from './agent-config.ts'
import { Block, MessageContent } from './content.ts'
import { AsciiId, TextId } from './ids.ts'
import { OutputItem } from './items.ts'
import { names, OpenObject, optional, orNull } from './schema.ts'
import { ToolDefinition } from './tool-definition.ts'
import { TaskWebhook } from './webhooks.ts'

export const CreateTaskBody = Type.Object({
  user_message_content: MessageContent,
  stream: Type.Boolean(),
  structured_output: orNull(OpenObject),
  client_id: orNull(TextId),
  request_id: orNull(TextId),
  session_id: orNull(AsciiId),
  task_id: orNull(AsciiId),
  user_id: orNull(TextId),
  agent_config: orNull(AgentConfig),
  allowed_tools: optional(names),
  disallowed_tools: optional(names),
  allowed_subagents: optional(names),
  stop_tools: optional(names),
  client_tools: orNull(Type.Array(ToolDefinition)),
  history_messages: orNull(Type.Array(OutputItem)),
  thought_messages: orNull(Type.Array(OutputItem)),
  inference_args: orNull(OpenObject),
  workspace_dir: orNull(Type.String({ minLength: 1, maxLength: 4096 })),
  env: orNull(OpenObject),
  log_dir: orNull(Type.String({ minLength: 1, maxLength: 4096 })),
  rollout_save_dir: orNull(Type.String({ minLength: 1, maxLength: 4096 })),
  return_rollout: orNull(Type.Boolean()),
  include_compress_model_rollout: orNull(Type.Boolean()),
  include_subagent_rollout: orNull(Type.Boolean()),
  background: orNull(Type.Boolean()),
  on_disconnect: orNull(Type.Enum(['continue', 'cancel'])),
  metadata: orNull(OpenObject),
  webhook: orNull(TaskWebhook),
})
export type CreateTaskBody = Static<typeof CreateTaskBody>

export const AnswerCallsBody = Type.Object({
  tool_results: Type.Array(
    Type.Object({
      call_id: AsciiId,
      message_content: MessageContent,
      block_list: orNull(Type.Array(Block)),
      /** `incomplete`: the call failed. */
      status: orNull(Type.Enum(['completed', 'incomplete'])),
    }),
  ),
})
export type AnswerCallsBody = Static<typeof AnswerCallsBody>
export const DecideApprovalBody = Type.Object({
  call_id: AsciiId,
  decision: Type.Enum(['approve', 'refuse']),
  /** The call runs with these, in place of the arguments of the agent. */
  arguments: orNull(OpenObject),
  reason: orNull(Type.String({ maxLength: 4096 })),
})
export type DecideApprovalBody = Static<typeof DecideApprovalBody>
export const ForkTaskBody = Type.Object({
  /** The number of a frame of the task. */
  at: Type.Integer({ minimum: 0 }),
  agent_config: orNull(AgentConfig),
  user_message_content: orNull(MessageContent),
  run: orNull(Type.Boolean()),
  task_id: orNull(AsciiId),
  /** The names of the command line for the same: agent_config.agent_id, agent_config.model, user_message_content, run. */
  agent: orNull(TextId),
  model: orNull(Type.String()),
  message: orNull(MessageContent),
  pause: orNull(Type.Boolean()),
})
export type ForkTaskBody = Static<typeof ForkTaskBody>
/** An event for the statechart of an agent. */
export const MachineEvent = Type.Interface([OpenObject], { type: TextId })
export type MachineEvent = Static<typeof MachineEvent> & Record<string, unknown>
/** Exactly one of the two fields. */
export const PostMessageBody = Type.Object({
  content: optional(MessageContent),
  event: optional(MachineEvent),
})
export type PostMessageBody = Static<typeof PostMessageBody>
export const RewardBody = Type.Object({
  value: Type.Number(),
  name: orNull(TextId),
  data: optional(Type.Unknown()),
})
export type RewardBody = Static<typeof RewardBody>
