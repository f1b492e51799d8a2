// examples/tokens-by-user.mjs: what each user has used, over all pages of the list with subagents and with group chats.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { adminToken, serveHere } from '../support/server.ts'

const program = path.resolve(import.meta.dirname, '../../examples/tokens-by-user.mjs')

t.test('tokens are added up for each user, those of subagents with the task that called them', async t => {
  const { api, url } = await serveHere(t)
  const usage = { input_tokens: 7, output_tokens: 3, total_tokens: 10, cached_tokens: 2 }
  const used = { usage }
  const run = (user_id: string, ...script: object[]) =>
    api('POST', '/tasks', {
      ...{ user_message_content: 'go', stream: false, user_id },
      agent_config: { agent_id: 'script', script },
    })
  for (let n = 0; n < 101; n++) await run('anna', used, { message: 'done' })
  const input = JSON.stringify([used, used])
  await run('bert', { subagent: 'script', input }, used)
  const agents = [{ name: 'cem', agent_id: 'script', script: [used, { message: 'done' }] }]
  await api('POST', '/tasks', {
    ...{ user_message_content: 'go', stream: false, user_id: 'cem' },
    agent_config: { agent_id: 'group', group: { agents, max_rounds: 1 } },
  })
  const { stdout } = await promisify(execFile)(process.execPath, [program, url], {
    env: { ...process.env, TOKEN: adminToken },
  })
  t.same(stdout.trim().split('\n'), [
    'user\ttasks\tinput_tokens\toutput_tokens\tcached_tokens\treasoning_tokens',
    'anna\t101\t707\t303\t202\t0',
    'bert\t1\t21\t9\t6\t0',
    'cem\t1\t7\t3\t2\t0',
  ])
  const later = await promisify(execFile)(process.execPath, [program, url, '2999-01-01'], {
    env: { ...process.env, TOKEN: adminToken },
  })
  t.equal(later.stdout.trim().split('\n').length, 1, 'nobody has used anything since then')
})
