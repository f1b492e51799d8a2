// Forks: of a task at rest, in the middle and at its end, with a subagent and a session in its past; and a fork that waits.
import { script, tool } from '../../http/agent-tasks.ts'
import type { Stage } from './stage.ts'

const session_id = 'forked'
const step = { tool: 'move', arguments: { direction: 'east' } }

export const playForks = async ({ begins, becomes, must, get, env }: Stage): Promise<void> => {
  await env.create({ session_id, env_id: 'gridworld' })
  const steps = [step, { subagent: 'echo', input: 'hi' }, step, { message: 'there' }]
  const original = await begins({ session_id, agent_config: script(...steps) })
  await becomes(original, 'completed')
  const fork = async (id: string, at: number, more: object = {}): Promise<string> =>
    (await must('POST', `/tasks/${id}/fork`, { at, ...more })).id ?? ''
  const middle = await fork(original, 6)
  await becomes(middle, 'completed')
  await becomes(await fork(middle, 6, { agent_config: script({ message: 'elsewhere' }) }), 'completed')
  const asks = { agent_config: script({ tool: 'ask' }), client_tools: [tool('ask')] }
  const waits = await begins(asks)
  await becomes(waits, 'input-required')
  const { output } = await get(waits)
  await becomes(await fork(waits, output.length), 'input-required')
}
