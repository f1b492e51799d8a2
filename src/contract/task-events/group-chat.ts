// The events of a group chat. Each turn of a speaker is a task of its own. Clients get these events without the fields
// that stand below the blank line in each event.
import Type, { type TProperties } from 'typebox'
import { MessageContent } from '../wire.ts'
import { AgentStep, CallId, optional, Usage } from './schema.ts'

const whose = {
  group_chat_id: Type.String(),
  agent_id: Type.String(),
  name: Type.String(),
  round: Type.Integer({ minimum: 1 }),
}
const yes = optional(Type.Literal(true))

export const groupChatEvents = {
  /** A turn begins. The same append stores its intent and creates its task. */
  GroupChatAgentThinking: {
    ...whose,

    call_id: CallId,
    task_id: Type.String(),
    /** The moderator's turn: its text chooses the next speaker and is not said in the chat. */
    moderator: yes,
    /** The speaker may pass. Then its text is not said in the chat. */
    may_pass: yes,
  },
  /** A turn has ended. `content` is what its task answered; it is empty if the task did not complete. */
  GroupChatAgentResponse: {
    ...whose,
    task_id: Type.String(),
    content: Type.String(),
    usage: Usage,

    call_id: CallId,
    /** The content is said in the chat: a GroupChatMessage follows. */
    said: yes,
    /** Why the task did not complete. */
    failed: optional(Type.String()),
  },
  /** Something is said in the chat, by a speaker or by the user. It is an item of the chat's output. */
  GroupChatMessage: {
    ...whose,
    message_id: Type.String(),
    role: Type.Enum(['assistant', 'user']),
    content: MessageContent,

    agent_step: AgentStep,
  },
} satisfies Record<string, TProperties>
