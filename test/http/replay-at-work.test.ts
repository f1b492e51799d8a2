// A replay of a task that goes on meanwhile: it answers, and the server goes on, too. In a process of its own, so
// that one that does not come back can be told.
import t from 'tap'
import { read, until } from '../support/http.ts'
import { adminToken, spawnServer } from '../support/server.ts'
import { script } from './agent-tasks.ts'

const { url } = await spawnServer(t, t.testdir())
/** What is not answered within this has no answer. */
const patience = 15_000
const call = (method: string, where: string, body?: object) =>
  read(
    fetch(`${url}/v1${where}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(patience),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )

t.test('every replay of a task at work matches, and none keeps the server', async t => {
  const agent_config = script(
    ...Array.from({ length: 60 }, (_, n) => ({ message: `${n}` })),
    { message: 'a b c d e f g h i j', delta_ms: 10 },
    { tool: 'calculator', arguments: { expression: '6*7' } },
  )
  const sent = { user_message_content: 'x', stream: false, background: true, agent_config }
  const made = await Promise.all(Array.from({ length: 8 }, () => call('POST', '/tasks', sent)))
  const ids = made.map(({ body }) => body.result.id)
  const said: string[] = []
  await Promise.all(
    ids.map(async id => {
      for (let over = false; !over; ) {
        const { status, body } = await call('POST', `/tasks/${id}/replay`)
        const { matches } = body as unknown as { matches: boolean }
        said.push(`${status} ${matches}`)
        over = (await call('GET', `/tasks/${id}`)).body.result.status === 'completed'
      }
    }),
  )
  t.same([...new Set(said)], ['200 true'], `of ${said.length} replays`)
  for (const id of ids) t.match((await call('POST', `/tasks/${id}/replay`)).body, { matches: true })
  await until(async () => (await call('GET', '/tasks?status=working')).status === 200)
})
