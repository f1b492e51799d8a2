// What belongs to another user is not there.
import t from 'tap'
import { idsOf, read, until } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'

const { api, url } = await serveHere(t)
const as = async (body: object) => {
  const made = await read(api('POST', '/auth/tokens', body))
  return apiOf(url, (made.body as unknown as { token: string }).token)
}
const ann = await as({ role: 'user', user_id: 'ann' })
const bob = await as({ role: 'user', user_id: 'bob' })
const nobody = await as({ role: 'user' })
const bobsAuditor = await as({ role: 'auditor', user_id: 'bob' })
const bobsSubscriber = await as({ role: 'subscriber', user_id: 'bob' })

const echo = { user_message_content: 'x', stream: false, client_id: 'echo' }
const busy = {
  ...echo,
  background: true,
  agent_config: { agent_id: 'script', script: [{ sleep_ms: 600_000 }] },
}
const made = async (who: typeof api, body: object) => (await read(who('POST', '/tasks', body))).body.result

t.test('the user of a task is the user of the token', async t => {
  t.equal((await made(ann, echo)).user_id, 'ann')
  t.equal((await made(ann, { ...echo, user_id: 'ann' })).user_id, 'ann')
  t.equal((await made(ann, { ...echo, user_id: null })).user_id, 'ann')
  t.equal((await made(api, { ...echo, user_id: 'whoever' })).user_id, 'whoever')
  t.equal((await made(nobody, { ...echo, user_id: 'whoever' })).user_id, 'whoever')
  t.equal((await made(nobody, echo)).user_id, 'default')
})

t.test('a token of one user cannot speak for another', async t => {
  for (const user_id of ['bob', 'Ann', 'ann ']) {
    const { status, body } = await read(ann('POST', '/tasks', { ...echo, user_id }))
    t.equal(status, 403)
    t.match(body, { jsonrpc: '2.0', error: { code: -32031 } })
  }
  t.same(idsOf(await read(api('GET', '/tasks?user_id=Ann'))), [], 'nothing was made')
})

t.test("another user's task answers as one that does not exist, on every route", async t => {
  const { id } = await made(ann, busy)
  const calls: [string, string, object?][] = [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/cancel'],
    ['POST', '/pause'],
    ['POST', '/resume'],
    ['GET', '/events'],
    ['GET', '/events', { accept: 'text/event-stream' }],
    ['GET', '/events', { accept: 'text/event-stream', 'last-event-id': '99' }],
  ]
  const same = { 'x-request-id': 'same' }
  for (const [method, tail, headers] of calls) {
    const foreign = await read(bob(method, `/tasks/${id}${tail}`, undefined, { ...same, ...headers }))
    const unknown = await read(bob(method, `/tasks/nothing${tail}`, undefined, { ...same, ...headers }))
    t.equal(foreign.status, 404, `${method} ${tail}`)
    t.equal(foreign.text, unknown.text, 'not a word of difference')
  }
  for (const [who, tail] of [
    [bobsAuditor, ''],
    [bobsAuditor, '/events'],
    [bobsSubscriber, '/events'],
  ] as const) {
    t.equal((await who('GET', `/tasks/${id}${tail}`)).status, 404)
  }
  t.equal((await read(ann('GET', `/tasks/${id}`))).body.result.status, 'working', 'and it is as it was')
})

t.test("another user's tasks are in no list, and no cursors", async t => {
  const annsId = (await made(ann, echo)).id
  const bobsId = (await made(bob, echo)).id
  for (const query of ['', '?limit=100', '?user_id=ann', '?status=completed', '?order=asc&limit=100']) {
    for (const who of [bob, bobsAuditor]) {
      const { status, body } = await read(who('GET', `/tasks${query}`))
      t.equal(status, 200)
      t.same(
        [...new Set((body.result as unknown as { user_id: string }[]).map(each => each.user_id))].filter(
          user => user !== 'bob',
        ),
        [],
        query,
      )
    }
  }
  t.same(idsOf(await read(bob('GET', '/tasks?user_id=ann'))), [])
  for (const name of ['starting_after', 'ending_before']) {
    const foreign = await read(bob('GET', `/tasks?${name}=${annsId}`))
    const unknown = await read(bob('GET', `/tasks?${name}=nothing`))
    t.equal(foreign.status, 422)
    t.equal(foreign.text, unknown.text)
    t.equal((await bob('GET', `/tasks?${name}=${bobsId}`)).status, 200)
    t.same(idsOf(await read(bob('GET', `/tasks?user_id=ann&${name}=${bobsId}`))), [])
    t.equal((await bob('GET', `/tasks?user_id=ann&${name}=nothing`)).status, 422, 'whoever is named')
  }
  const all = idsOf(await read(api('GET', '/tasks?limit=100')))
  t.ok(all.includes(annsId) && all.includes(bobsId), 'an admin of all users sees all')
})

t.test("a task_id of another user's task answers 404, never 409", async t => {
  const task_id = 'taken'
  await made(ann, { ...echo, task_id })
  const bodies = [
    { ...echo, task_id },
    { ...echo, task_id, user_message_content: 'y' },
    { ...echo, task_id, stream: true },
  ]
  for (const body of bodies) {
    const { status, body: answer } = await read(bob('POST', '/tasks', body))
    t.equal(status, 404)
    t.match(answer, { error: { code: -32001 } })
    t.notOk(JSON.stringify(answer).includes('ann'))
  }
  const keyed = await read(bob('POST', '/tasks', { ...echo, task_id }, { 'idempotency-key': 'k' }))
  t.equal(keyed.status, 404)
  const deleted = 'taken and deleted'.replaceAll(' ', '-')
  await made(ann, { ...echo, task_id: deleted })
  await ann('DELETE', `/tasks/${deleted}`)
  t.equal((await bob('POST', '/tasks', { ...echo, task_id: deleted })).status, 404)
})

t.test('keys of two principals are two keys', async t => {
  const key = { 'idempotency-key': 'both-use-it' }
  const first = await read(ann('POST', '/tasks', echo, key))
  const second = await read(bob('POST', '/tasks', echo, key))
  const third = await read(
    bob('POST', '/tasks', { ...echo, user_message_content: 'z' }, { 'idempotency-key': 'x' }),
  )
  t.equal(third.status, 200)
  t.equal(second.status, 200)
  t.not(first.body.result.id, second.body.result.id)
  t.equal(second.headers.get('idempotency-replayed'), null)
})

t.test('a retry finds only what its own principal made', async t => {
  const body = { ...echo, user_message_content: 'retried' }
  const first = await made(ann, body)
  const retry = await read(bob('POST', '/tasks', body, { 'x-stainless-retry-count': '1' }))
  t.equal(retry.status, 200)
  t.not(retry.body.result.id, first.id)
  t.equal(retry.body.result.user_id, 'bob')
})

t.test('two users with the same session_id never meet', async t => {
  const session_id = 's1'
  const seen = (task: { output: unknown }) => JSON.stringify(task.output)
  const annsBusy = await made(ann, { ...busy, session_id })
  const quick = await made(bob, { ...echo, session_id })
  t.equal(quick.status, 'completed', 'it does not wait for the other user')
  t.equal(quick.previous_task_id, undefined)
  const annsNext = await made(ann, { ...echo, background: true, session_id })
  t.equal(annsNext.status, 'queued')
  t.equal(annsNext.previous_task_id, annsBusy.id)
  const bobsNext = await made(bob, { ...echo, client_id: 'demo', session_id })
  t.match(seen(bobsNext), /I see 2 earlier items/, 'his own message and answer')
  t.equal(bobsNext.previous_task_id, quick.id)
  await ann('POST', `/tasks/${annsBusy.id}/cancel`)
  await until(
    async () => (await read(ann('GET', `/tasks/${annsNext.id}`))).body.result.status === 'completed',
  )
  const annsDemo = await made(ann, { ...echo, client_id: 'demo', session_id })
  t.match(seen(annsDemo), /I see 2 earlier items/)
  t.same(idsOf(await read(bob('GET', '/tasks?session_id=s1'))).sort(), [quick.id, bobsNext.id].sort())
})

t.test('an admin who names a user meets that user', async t => {
  const task = await made(api, { ...echo, user_id: 'bob' })
  t.equal((await bob('GET', `/tasks/${task.id}`)).status, 200)
  t.equal((await ann('GET', `/tasks/${task.id}`)).status, 404)
})
