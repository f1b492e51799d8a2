// Finds what was said in a group chat, in order, in the stored events of the chat.

import type { TaskEventData } from '../../src/contract/events/task-events.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import type { MessageContent } from '../../src/contract/wire.ts'

/** `said`: a message. `note`: a turn in which nothing was said. `thinking`: a turn that has not ended. */
export type Entry = {
  key: string
  kind: 'said' | 'note' | 'thinking'
  name: string
  isUser: boolean
  round: number | undefined
  at: number
  content: MessageContent
  /** The task of the turn. */
  taskId: string | undefined
}
export type Chat = { entries: Entry[]; speakers: string[] }

type Thinking = TaskEventData<'GroupChatAgentThinking'>
type Response = TaskEventData<'GroupChatAgentResponse'>

const noteOf = ({ failed, content }: Response, { moderator }: Partial<Thinking>): string => {
  if (failed !== undefined) return `the turn failed: ${failed}`
  return moderator ? `chooses ${content.trim()}` : 'has nothing to say'
}

export const chatOf = (events: readonly Recorded[]): Chat => {
  const entries: Entry[] = []
  const speakers: string[] = []
  const open = new Map<string, Entry & { thinking: Thinking }>()
  /** The speaker and the task of the newest turn that said something. Its message is in a later event. */
  let said: { name: string; taskId: string } | undefined
  for (const { position, header, data } of events) {
    const common = { key: String(position), at: Date.parse(header.time), isUser: false }
    if (header.type === 'TaskCreated') {
      const { request } = data as TaskEventData<'TaskCreated'>
      const content = request.user_message_content
      entries.push({
        ...common,
        kind: 'said',
        name: 'user',
        isUser: true,
        round: undefined,
        content,
        taskId: undefined,
      })
      speakers.push(...(request.agent_config?.group?.agents.flatMap(({ name }) => name ?? []) ?? []))
    }
    if (header.type === 'GroupChatAgentThinking') {
      const thinking = data as Thinking
      const { name, round, task_id: taskId, call_id } = thinking
      open.set(call_id, { ...common, kind: 'thinking', name, round, content: '', taskId, thinking })
    }
    if (header.type === 'GroupChatAgentResponse') {
      const response = data as Response
      const { name, round, task_id: taskId, call_id } = response
      const thinking = open.get(call_id)?.thinking ?? {}
      open.delete(call_id)
      if (response.said) said = { name, taskId }
      else entries.push({ ...common, kind: 'note', name, round, content: noteOf(response, thinking), taskId })
    }
    if (header.type === 'GroupChatMessage') {
      const { name, role, round, content } = data as TaskEventData<'GroupChatMessage'>
      const isUser = role === 'user'
      const taskId = !isUser && said?.name === name ? said.taskId : undefined
      entries.push({ ...common, kind: 'said', name, isUser, round, content, taskId })
    }
  }
  return { entries: [...entries, ...open.values()], speakers }
}
