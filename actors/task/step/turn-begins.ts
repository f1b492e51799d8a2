// Makes the event with which a turn of a group chat begins, and finds what the speaker of the turn hears. Pure.
import type { AskedTurn } from '../../../src/contract/agent.ts'
import type { StartContext } from '../../../src/contract/commands/commands.ts'
import type { TaskEventData } from '../../../src/contract/events/task-events.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'

type Created = TaskEventData<'TaskCreated'>

/** The data of a turn that begins with this call. */
export const thinkingOf = (
  call_id: string,
  { agent_id, task_id, parent_task_id = '' }: Created,
  { name, round, moderator, mayPass }: AskedTurn,
): TaskEventData<'GroupChatAgentThinking'> => ({
  ...{ group_chat_id: parent_task_id, agent_id, name, round, call_id, task_id },
  ...(moderator === true ? { moderator } : {}),
  ...(mayPass === true ? { may_pass: mayPass } : {}),
})

/**
 * The inputs and items that the speaker of the next turn hears: all that the chat has heard. The last entry of the
 * chat's own context holds its inputs; the output of the chat is what was said so far.
 */
export const heardInChat = ({ context, contextOf, output }: DecidedTask): StartContext => {
  const own = context.at(-1)
  if (own === undefined) return { context: [] }
  return {
    context: [...context.slice(0, -1), { ...own, first_items: output.length }],
    ...(contextOf === undefined ? {} : { context_of: contextOf }),
  }
}
