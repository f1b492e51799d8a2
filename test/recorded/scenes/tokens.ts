// Tokens of every role, one of them revoked, and what a user does with one.
import { roles } from '../../../src/contract/events/token-events.ts'
import { script } from '../../http/agent-tasks.ts'
import { counter } from '../../http/env-calls.ts'
import type { Stage } from './stage.ts'

const tenYears = 315_360_000

/** The answer: the token of the user, by its name. */
export const playTokens = async ({ must, as }: Stage): Promise<Record<string, string>> => {
  const made = (body: object) => must('POST', '/auth/tokens', body) as Promise<Record<string, string>>
  for (const role of roles) await made({ role })
  const { token: anna = '' } = await made({ role: 'user', name: 'The laptop of Anna', user_id: 'anna' })
  await made({ role: 'subscriber', user_id: 'carl', ttl: tenYears })
  const { id } = await made({ role: 'user', user_id: 'bob' })
  await must('DELETE', `/auth/tokens/${id}`)
  const { post, play, act, env } = as(anna)
  await post({ user_message_content: "anna's own", client_id: 'echo' })
  const task = await play([{ pause: 'tea' }, { message: 'after' }], { session_id: 's1' })
  await act(task.id, 'resume')
  await env.made({ session_id: 'of-anna', env_class_path: counter })
  await env.add('of-anna', 1)
  await play([{ tool: 'add', arguments: { by: 1 } }, { message: 'done' }], { session_id: 'of-anna' })
  await act((await play([{ fail: { code: -32008, message: 'no' } }])).id, 'reward', { value: 1 })
  await play([{ message: 'what the agent said' }], {
    agent_config: script({ message: 'said' }),
    user_id: 'anna',
  })
  return { anna }
}
