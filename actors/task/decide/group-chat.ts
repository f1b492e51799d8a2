// Makes the events of a group chat when a turn ends, and when the user says something. Pure.
import type { CallOutcome } from '../../../src/contract/commands/commands.ts'
import type { TaskEvent } from '../../../src/contract/events/task-events.ts'
import { chatUser, groupAgent, type MessageContent } from '../../../src/contract/wire.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'

export const isGroupChat = ({ created }: Pick<DecidedTask, 'created'>): boolean =>
  created?.agent === groupAgent

/** A speaker that may pass says this word when it has nothing to say. */
const isPass = (text: string): boolean => /^\W*pass\W*$/i.test(text)

/** The events that come before the result of a turn's call; none for any other call. */
export const turnEnded = (
  { turns, created, completedSteps }: DecidedTask,
  call_id: string,
  { message, failed, usage = {} }: CallOutcome,
): TaskEvent[] => {
  const turn = turns.find(({ callId }) => callId === call_id)
  if (turn === undefined || created === undefined) return []
  const { agentId: agent_id, name, round, isModerator, mayPass, taskId: task_id } = turn
  const whose = { group_chat_id: created.task_id, agent_id, name, round }
  const content = message?.text ?? ''
  const isSaid = !isModerator && content.trim() !== '' && !(mayPass && isPass(content))
  const how = { ...(isSaid ? { said: true as const } : {}), ...(failed === undefined ? {} : { failed }) }
  const data = { ...whose, task_id, content, usage, call_id, ...how }
  const response: TaskEvent = { type: 'GroupChatAgentResponse', data }
  if (!isSaid || message === undefined) return [response]
  const said = { message_id: message.itemId, role: 'assistant', content, agent_step: completedSteps } as const
  return [response, { type: 'GroupChatMessage', data: { ...whose, ...said } }]
}

/** The event for a message of the user in a group chat; no event in any other task. */
export const userSays = (
  { created, turns, completedSteps }: DecidedTask,
  message_id: string,
  content: MessageContent,
): TaskEvent[] => {
  if (created === undefined || created.agent !== groupAgent) return []
  const { task_id: group_chat_id, agent_id } = created
  const whose = { group_chat_id, agent_id, name: chatUser, round: turns.at(-1)?.round ?? 1 }
  const said = { message_id, role: 'user', content, agent_step: Math.max(1, completedSteps) } as const
  return [{ type: 'GroupChatMessage', data: { ...whose, ...said } }]
}
