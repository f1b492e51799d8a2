// Runs a group chat: each step asks for one turn of a speaker, which is a task of its own, or ends the chat. The agent
// keeps nothing between steps, so crashes, pauses and cancels work as in any task with subagents.
import type { Agent, StepInput } from '../../contract/agent.ts'
import { taskErrors } from '../../contract/task-errors.ts'
import type { GroupConfig, MessageItem } from '../../contract/wire.ts'
import { nextSpeaker } from './next-speaker.ts'
import { requestOf } from './turn-request.ts'

const lastMessage = async ({ history }: StepInput): Promise<MessageItem | undefined> =>
  (await history()).findLast((item): item is MessageItem => item.type === 'message')

const noGroup: GroupConfig = { agents: [], order: 'round_robin' }

export const group: Agent = {
  name: 'group',
  description:
    'Lets the agents in agent_config.group talk with each other and with the user; each turn is a task.',
  async *step(input) {
    const config = input.request.agent_config?.group ?? noGroup
    const next = nextSpeaker(config, input.turns ?? [])
    if (next.next === 'end') return { end: 'answer' }
    if (next.next === 'fail')
      return { end: 'fail', error: { code: taskErrors.AgentFailed.code, message: next.why } }
    const { name, round } = next
    const rules = {
      ...(next.next === 'moderator' ? { moderator: true as const } : {}),
      ...(config.order === 'free' ? { mayPass: true as const } : {}),
    }
    const asked = requestOf(input, config, next, await lastMessage(input))
    yield { say: 'turn', turn: { name, round, ...rules, ...asked } }
    return { end: 'continue' }
  },
}
