// Environment sessions, chats, cron jobs and webhooks that show what their views show.
import { read } from '../support/http.ts'
import type { Api } from '../support/server.ts'

/** Creates a session and takes the steps. */
const play = async (
  api: Api,
  create: { session_id: string; [setting: string]: unknown },
  steps: readonly [string, object][],
) => {
  await read(api('POST', '/env/create', { user_id: 'ann', ...create }))
  for (const [tool_name, tool_args] of steps)
    await read(api('POST', '/env/step', { session_id: create.session_id, tool_name, tool_args }))
}

const map = '#######\n#@a.A.#\n#..##G#\n#######'

/** Creates what the views show, and resolves to the views. `receiver`: an address that accepts what webhooks send. */
export const seedViews = async (api: Api, receiver: string): Promise<{ name: string; path: string }[]> => {
  await play(api, { session_id: 'game-of-ann', env_class_path: 'chess' }, [
    ['move', { move: 'e4' }],
    ['move', { move: 'Nf3' }],
    ['move', { move: 'Ke5' }],
    ['legal_moves', { square: 'f1' }],
  ])
  await play(api, { session_id: 'maze', env_class_path: 'gridworld', env_init_kwargs: { map } }, [
    ['move', { direction: 'east' }],
    ['pick_up', {}],
    ['move', { direction: 'east' }],
    ['move', { direction: 'east' }],
    ['move', { direction: 'east' }],
    ['move', { direction: 'south' }],
  ])
  const csv = { people: 'name,age\nAnn,41\nBob,38\nCy,52\n' }
  await play(api, { session_id: 'people', env_class_path: 'sql', env_init_kwargs: { csv } }, [
    ['execute', { sql: "INSERT INTO people VALUES ('Dee', 29)" }],
    ['query', { sql: 'SELECT name, age FROM people WHERE age > 30 ORDER BY age' }],
  ])
  const files = { 'sum.sh': 'echo $(($1 + $2))\n', 'notes.md': '# Notes\n' }
  await play(api, { session_id: 'shell', env_class_path: 'workspace', env_init_kwargs: { files } }, [
    ['shell', { command: 'bash sum.sh 20 22' }],
    ['read_file', { path: 'notes.md' }],
    ['shell', { command: 'ls -l && cat missing.txt' }],
  ])
  await read(api('POST', '/env/close', { session_id: 'people' }))
  const say = async (body: object) =>
    (await read(api('POST', '/tasks', { stream: false, user_id: 'ann', ...body }))).body.result.id
  for (const text of ['What is 17 * 23?', 'Thank you. And 391 / 17?'])
    await say({ user_message_content: text, session_id: 'sums', agent_config: { agent_id: 'demo' } })
  const chat = await say({
    user_message_content: 'Shall we ship on Friday?',
    agent_config: {
      agent_id: 'group',
      group: {
        order: 'round_robin',
        max_rounds: 2,
        agents: [
          {
            name: 'ann',
            agent_id: 'script',
            script: [{ message: 'I say yes: **all** tests are green.' }, { message: 'Then Monday it is.' }],
          },
          { name: 'bob', agent_id: 'echo' },
          {
            name: 'cem',
            agent_id: 'script',
            script: [{ message: 'Not on a Friday.' }, { fail: { code: -32000, message: 'cem fell asleep' } }],
          },
        ],
      },
    },
  })
  const named = async (path: string, body: object) =>
    (await read(api('POST', path, body))).body as unknown as { job_id: string; id: string }
  const task = { user_message_content: 'Write the morning report.', client_id: 'echo', user_id: 'ann' }
  const schedule = { schedule: '0 7 * * MON-FRI', timezone: 'Europe/Berlin' }
  const { job_id } = await named('/cron/jobs', { name: 'Morning report', ...schedule, task })
  for (const _ of ['first', 'second']) await read(api('POST', `/cron/jobs/${job_id}/trigger`))
  await named('/cron/jobs', { name: 'Look for new mail', every_seconds: 900, task, enabled: false })
  const { id: webhook } = await named('/webhooks', { url: receiver, types: ['TaskStatusChanged'] })
  await named('/webhooks', { url: `${receiver}/nowhere`, types: ['AgentError', 'TaskStatusChanged'] })
  await say({ user_message_content: 'Tell the webhooks', client_id: 'echo' })
  for (const [role, name] of [
    ['user', 'Laptop of Ann'],
    ['auditor', undefined],
  ])
    await named('/auth/tokens', { role, name, user_id: 'ann', ttl: 86_400 })
  const { data: events } = (await read(api('GET', `/audit/events?stream=task-${chat}&limit=4`)))
    .body as never as {
    data: { position: number }[]
  }
  const position = events.at(-1)?.position
  return [
    { name: 'envs', path: '/ui/env' },
    { name: 'env-new', path: '/ui/env?new=yes' },
    { name: 'env', path: '/ui/env/game-of-ann' },
    { name: 'grid', path: '/ui/env/maze?event=3' },
    { name: 'sql', path: '/ui/env/people?event=2' },
    { name: 'workspace', path: '/ui/env/shell' },
    { name: 'sessions', path: '/ui/sessions' },
    { name: 'session', path: '/ui/sessions/sums?user=ann' },
    { name: 'chat', path: `/ui/chats/${chat}` },
    { name: 'cron', path: '/ui/cron' },
    { name: 'cron-new', path: '/ui/cron?new=yes' },
    { name: 'job', path: `/ui/cron/${job_id}` },
    { name: 'job-edit', path: `/ui/cron/${job_id}?edit=yes` },
    { name: 'webhooks', path: '/ui/webhooks' },
    { name: 'webhook-new', path: '/ui/webhooks?new=yes' },
    { name: 'webhook', path: `/ui/webhooks/${webhook}` },
    { name: 'webhook-edit', path: `/ui/webhooks/${webhook}?edit=yes` },
    { name: 'log', path: '/ui/audit' },
    { name: 'stream', path: `/ui/audit/${encodeURIComponent(`task-${chat}`)}?position=${position}` },
    { name: 'usage', path: '/ui/usage' },
    { name: 'tokens', path: '/ui/tokens' },
    { name: 'token-new', path: '/ui/tokens?new=yes' },
    { name: 'system', path: '/ui/system' },
  ]
}
