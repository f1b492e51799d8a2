// What environments and their sessions are refused with says its message once more, as `detail`.
import t from 'tap'
import { read } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'

const { api, url } = await serveHere(t)
const refused = async (method: string, path: string, body?: unknown, who = api) => {
  const { status, body: said } = await read(who(method, path, body))
  return {
    status,
    said: said as unknown as { code: number; message: string; detail?: unknown; data?: unknown },
  }
}

t.test('an environment that is not there', async t => {
  for (const [method, path, body] of [
    ['GET', '/env/nobody'],
    ['POST', '/env/create', { env_class_path: 'nobody' }],
    ['POST', '/env/create', { env_class_path: 'nobody#Class' }],
  ] as const) {
    const { status, said } = await refused(method, path, body)
    t.match({ status, code: said.code }, { status: 404, code: -32024 }, path)
    t.type(said.detail, 'string')
    t.equal(said.detail, said.message)
    t.same(Object.keys(said), ['code', 'message', 'data', 'detail'])
    if (method === 'POST')
      t.ok((said.data as { kinds: string[] }).kinds.includes('gridworld'), 'it names those that are')
  }
})

t.test('a session that is not there, is closed, or is somebody else’s', async t => {
  await read(api('POST', '/env/create', { session_id: 'closed', env_id: 'gridworld' }))
  await read(api('POST', '/env/close', { session_id: 'closed' }))
  const { body } = await read(api('POST', '/auth/tokens', { role: 'user', user_id: 'alice' }))
  const alice = apiOf(url, (body as unknown as { token: string }).token)
  for (const [session_id, who, data] of [
    ['nobody', api, {}],
    ['closed', api, { reason: 'closed' }],
    ['closed', alice, {}],
  ] as const) {
    const { status, said } = await refused('POST', '/env/observation', { session_id }, who)
    t.equal(status, 404)
    t.equal(said.code, -32025)
    t.type(said.detail, 'string')
    t.equal(said.detail, said.message)
    const { hint: _, docs: __, ...more } = said.data as Record<string, unknown>
    t.same(more, data)
  }
  for (const [method, path, more] of [
    ['GET', '/env/session/nobody', undefined],
    ['DELETE', '/env/session/nobody', undefined],
    ['GET', '/env/session/nobody/machine', undefined],
    ['POST', '/env/reset', { session_id: 'nobody' }],
    ['POST', '/env/close', { session_id: 'nobody' }],
    ['POST', '/env/step', { session_id: 'nobody', tool_name: 'look' }],
    ['POST', '/env/step', { session_id: 'nobody', tool_name: 'look', stream: true }],
  ] as const) {
    const { status, said } = await refused(method, path, more)
    t.match({ status, said }, { status: 404, said: { code: -32025, detail: said.message } }, path)
  }
})

t.test('no other refusal has it, but for a list of problems', async t => {
  const task = await refused('DELETE', '/tasks/nobody')
  t.match(task, { status: 404, said: { code: -32001 } })
  t.notOk('detail' in task.said)
  const again = await refused('POST', '/env/create', { session_id: 'closed', env_id: 'gridworld' })
  t.equal(again.status, 200)
  const given = { session_id: 'closed', env_id: 'gridworld', env_init_kwargs: { width: 5 } }
  const other = await refused('POST', '/env/create', given)
  t.match(other, { status: 409, said: { code: -32023 } })
  t.notOk('detail' in other.said)
  const step = { session_id: 'closed', tool_name: 'fly' }
  t.ok(Array.isArray((await refused('POST', '/env/step', step)).said.detail))
})
