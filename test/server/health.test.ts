import t from 'tap'
import { isRoot, noBubblewrap } from '../support/sandbox.ts'
import { serveHere } from '../support/server.ts'
import { createTask, play } from './wire.ts'

t.test('health and readiness are told to anybody', async t => {
  const { api, url } = await serveHere(t, { DRAIN_SECONDS: '0' })
  await createTask(api, { user_message_content: 'hello', client_id: 'echo' })
  await play(api, [{ sleep_ms: 60_000 }], { session_id: 's' })
  await createTask(api, { user_message_content: 'next', session_id: 's', background: true })

  const alive = await fetch(`${url}/healthz`)
  t.equal(alive.status, 200)
  t.same(await alive.json(), { status: 'ok' })

  const ready = await fetch(`${url}/readyz`)
  t.equal(ready.status, 200)
  t.equal(ready.headers.get('x-api-version'), '2.3.0')
  type Ready = { position: number; sandbox: string; own_users: string }
  const { position, sandbox, own_users, ...told } = (await ready.json()) as Ready
  t.equal(sandbox, noBubblewrap === false ? 'bubblewrap' : 'refused')
  t.equal(own_users, isRoot ? 'all' : 'none')
  t.ok(position >= 10)
  t.same(told, {
    status: 'ready',
    log: 'ok',
    read_models: 'ok',
    tasks: { completed: 1, working: 1, queued: 1, running: 1, waiting: 1 },
  })
})
