// Who may speak to a task at work, judge it, and look at its past.
import t from 'tap'
import { apiAs, read, type TaskJson } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { type AgentTask, callId, tasksOf, tool } from './agent-tasks.ts'

const { api, url, lines } = await serveHere(t)
const tasks = tasksOf(api)
const { get, frames } = tasks
const as = async (body: object) => {
  const made = await read(api('POST', '/auth/tokens', body))
  return apiAs(url, (made.body as unknown as { token: string }).token)
}
const ann = await as({ role: 'user', user_id: 'ann' })
const principals = {
  auditor: await as({ role: 'auditor' }),
  "ann's auditor": await as({ role: 'auditor', user_id: 'ann' }),
  "bob's auditor": await as({ role: 'auditor', user_id: 'bob' }),
  subscriber: await as({ role: 'subscriber' }),
  "ann's subscriber": await as({ role: 'subscriber', user_id: 'ann' }),
  bob: await as({ role: 'user', user_id: 'bob' }),
  nobody: apiAs(url, 'no such token'),
}
type Who = keyof typeof principals

const waiting = (await tasksOf(ann).play([{ tool: 'ask' }, { message: 'x' }], {
  client_tools: [tool('ask')],
  session_id: 'asked',
})) as AgentTask
const { id } = waiting
const writes: [string, object][] = [
  ['input', { tool_results: [{ call_id: callId(waiting), message_content: 'mine' }] }],
  ['messages', { content: 'hey' }],
  ['reward', { value: 1 }],
]
const reads = ['', '?as_of=0', '/rollouts', '/rollouts?format=jsonl', '/machine', '/events']

const mayNot: Record<Who, [write: number, read: number, replay: number, events: number]> = {
  auditor: [403, 200, 200, 200],
  "ann's auditor": [403, 200, 200, 200],
  "bob's auditor": [403, 404, 404, 404],
  subscriber: [403, 403, 403, 200],
  "ann's subscriber": [403, 403, 403, 200],
  bob: [404, 404, 404, 404],
  nobody: [401, 401, 401, 401],
}
const codes: Record<number, number> = { 401: -32030, 403: -32031, 404: -32001 }

for (const [name, [write, looked, replayed, followed]] of Object.entries(mayNot)) {
  t.test(`${name}: ${write} to write, ${looked} to read, ${replayed} to replay`, async t => {
    const who = principals[name as Who]
    const before = await frames(id)
    for (const [verb, body] of writes) {
      const { status, body: said } = await read(who('POST', `/tasks/${id}/${verb}`, body))
      t.equal(status, write, verb)
      t.match(said, { code: codes[write] }, 'the bare error')
    }
    for (const where of reads) {
      const { status, body } = await read(who('GET', `/tasks/${id}${where}`))
      const expected = where === '/events' ? followed : looked
      t.equal(status, expected, where)
      const enveloped = where === '' || where.startsWith('?')
      if (expected !== 200) {
        t.match(
          body,
          enveloped ? { jsonrpc: '2.0', error: { code: codes[expected] } } : { code: codes[expected] },
        )
      }
    }
    const { status, body } = await read(who('POST', `/tasks/${id}/replay`))
    t.equal(status, replayed)
    t.match(body, replayed === 200 ? { task_id: id, matches: true } : { code: codes[replayed] })
    t.same(await frames(id), before)
    t.same(await get(id), waiting)
  })
}

t.test('in bulk each is told of its own', async t => {
  const ids = async (who: typeof api) => {
    const { status, text } = await read(who('GET', '/rollouts'))
    const found = text.split('\n').filter(line => line.startsWith('{"type"'))
    return { status, ids: [...new Set(found.map(line => (JSON.parse(line) as { task_id: string }).task_id))] }
  }
  const all = { status: 200, ids: [id] }
  const none = { status: 200, ids: [] }
  t.same(await ids(api), all)
  t.same(await ids(ann), all)
  t.same(await ids(principals.auditor), all)
  t.same(await ids(principals["ann's auditor"]), all)
  t.same(await ids(principals["bob's auditor"]), none)
  t.same(await ids(principals.bob), none)
  t.equal((await ids(principals.subscriber)).status, 403)
  t.equal((await ids(principals.nobody)).status, 401)
})

t.test('a subagent of one user is not there for another', async t => {
  const parent = await tasksOf(ann).play([{ subagent: 'echo', input: 'hi' }], { session_id: 'family' })
  const list = await read(ann('GET', '/tasks?session_id=family&include_subtasks=true'))
  const child = (list.body.result as unknown as TaskJson[]).find(task => task.id !== parent.id)
  t.equal(child?.user_id, 'ann')
  t.equal((await principals.bob('GET', `/tasks/${child?.id}`)).status, 404)
  t.equal((await principals.bob('GET', `/tasks/${child?.id}/events`)).status, 404)
  const all = await read(principals.bob('GET', '/tasks?include_subtasks=true'))
  t.same(all.body.result, [])
  t.equal((await ann('GET', `/tasks/${child?.id}`)).status, 200)
})

t.test('a foreign task and none at all answer the same word for word', async t => {
  const same = { 'x-request-id': 'same' }
  for (const [verb, body] of [...writes, ['replay', undefined] as const]) {
    const foreign = await read(principals.bob('POST', `/tasks/${id}/${verb}`, body, same))
    const unknown = await read(principals.bob('POST', `/tasks/nothing/${verb}`, body, same))
    t.equal(foreign.text, unknown.text, verb)
  }
  for (const where of reads) {
    const foreign = await read(principals.bob('GET', `/tasks/${id}${where}`, undefined, same))
    const unknown = await read(principals.bob('GET', `/tasks/nothing${where}`, undefined, same))
    t.equal(foreign.text, unknown.text, where)
  }
})

t.test('its own user may do all of it', async t => {
  for (const where of reads) t.equal((await ann('GET', `/tasks/${id}${where}`)).status, 200, where)
  t.equal((await ann('POST', `/tasks/${id}/replay`)).status, 200)
  for (const [verb, body] of [...writes].reverse())
    t.equal((await ann('POST', `/tasks/${id}/${verb}`, body)).status, 200, verb)
  t.equal((await tasks.becomes(id, 'completed')).status, 'completed')
})

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
