// Work without end: tasks made and deleted, sessions opened, steps and scripts that never stop.
import { type Attack, idOf, playing, sleep } from './hand.ts'

export const madeAndDeleted: Attack = hand =>
  hand.workers(16, 5, async () => {
    const body = playing([{ sleep_ms: 600_000 }], { background: true })
    const { status, text } = await hand.post('tasks made', '/v1/tasks', body)
    if (status === 200) await hand.call('tasks deleted', 'DELETE', `/v1/tasks/${idOf(text)}`)
  })

export const sleepers: Attack = hand => {
  let made = 0
  return hand.workers(8, 10, async () => {
    if (made > 20_000) return void (await sleep(1000))
    const body = playing([{ sleep_ms: 86_400_000 }], { background: true, session_id: `s${made % 50}` })
    const { status } = await hand.post('sleeping tasks', '/v1/tasks', body)
    if (status === 200) made++
  })
}
export const rewardsOfOld: Attack = async hand => {
  const { text } = await hand.post('old tasks', '/v1/tasks', playing([{ message: 'x' }]))
  const id = idOf(text)
  await hand.workers(8, 10, () => hand.post('rewards of old tasks', `/v1/tasks/${id}/reward`, { value: 1 }))
}

/** At most so many: each is a process of its own. */
const maxSessions = 300
export const sessionFlood: Attack = hand => {
  let made = 0
  return hand.workers(4, 50, async worker => {
    const body = {
      env_class_path: worker % 2 === 0 ? 'gridworld' : 'sql',
      session_id: `flood-${worker}-${made}`,
    }
    const { status } = await hand.post('environment sessions', '/v1/env/create', body)
    if (status === 200) made++
    if (made > maxSessions) await sleep(2000)
  })
}

const endless = 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r'
export const endlessSteps: Attack = async hand => {
  const create = (session_id: string) =>
    hand.post('sessions to step', '/v1/env/create', { session_id, env_class_path: 'sql' })
  const step = (session_id: string, sql: string) =>
    hand.post('steps', '/v1/env/step', { session_id, tool_name: 'query', tool_args: { sql } })
  await create('steps')
  await Promise.all([
    hand.workers(80, 10, () => step('steps', 'SELECT 1')),
    hand.workers(2, 100, async worker => {
      const { status } = await step(`spin-${worker}`, endless)
      if (status === 404) await create(`spin-${worker}`)
    }),
  ])
}

const aaa = `${'a'.repeat(40)}!`
const scripts: object[] = [
  playing([{ tool: 'run_javascript', arguments: { code: 'while (true) {}' } }]),
  playing([
    { tool: 'run_javascript', arguments: { code: 'const a = []; while (true) a.push("x".repeat(1e6))' } },
  ]),
  playing([{ tool: 'run_javascript', arguments: { code: '/^(a+)+$/.test("a".repeat(50) + "!")' } }]),
  playing([
    { tool: 'write_file', arguments: { path: 'a.txt', content: `${aaa}\n`.repeat(1000) } },
    { tool: 'search_files', arguments: { pattern: '^(a+)+$' } },
  ]),
  playing([{ message: JSON.stringify({ a: aaa }) }], {
    structured_output: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
  }),
  playing([{ tool: 'f', arguments: { a: aaa } }], {
    background: true,
    client_tools: [
      {
        type: 'function',
        function: { name: 'f', parameters: { type: 'object', properties: { a: { pattern: '^(a|a)*$' } } } },
      },
    ],
  }),
  playing([{ tool: 'calculator', arguments: { expression: '9^9^9^9' } }]),
]
export const endlessScripts: Attack = hand => {
  let n = 0
  return hand.workers(8, 20, () =>
    hand.post('endless scripts', '/v1/tasks', scripts[n++ % scripts.length] ?? {}),
  )
}
