// Group chats in every order, with a turn that fails, a user who writes, and a client tool of a speaker.
import { result, tool } from '../../http/agent-tasks.ts'
import type { Stage } from './stage.ts'

const says = (name: string, ...texts: string[]) => ({
  name,
  agent_id: 'script',
  script: texts.map(message => ({ message })),
})
const chat = (order: string, agents: object[], more: object = {}) => ({
  agent_config: { agent_id: 'group', group: { order, max_rounds: 2, agents, ...more } },
})
const fails = { name: 'eve', agent_id: 'script', script: [{ fail: { code: -1, message: 'no voice' } }] }
const asks = { name: 'dan', agent_id: 'script', script: [{ tool: 'ask' }, { message: 'so $result' }] }

export const playGroupChats = async ({ begins, becomes, act, get, answer }: Stage): Promise<void> => {
  const words = { stop_words: ['STOP'], on_failure: 'skip' }
  await becomes(await begins(chat('round_robin', [says('ann', 'a', 'STOP'), fails], words)), 'completed')
  await becomes(await begins(chat('free', [says('ann', 'a', 'PASS'), says('bob', 'PASS')])), 'completed')
  const moderator = says('chair', 'bob', 'END')
  await becomes(
    await begins(chat('moderator', [says('ann', 'a'), says('bob', 'b')], { moderator })),
    'completed',
  )
  const id = await begins({ ...chat('round_robin', [asks], { max_rounds: 1 }), client_tools: [tool('ask')] })
  await becomes(id, 'input-required')
  await act(id, 'messages', { content: 'take your time' })
  const waits = (await get(id)).input_required
  await answer(id, result(String(waits?.call_id), 'yes'))
  await becomes(id, 'completed')
}
