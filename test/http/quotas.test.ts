// What one user may have open at a time: exactly as many as the operator says, and no other user notices.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { read, until } from '../support/http.ts'
import { type Api, apiOf, serveHere } from '../support/server.ts'
import { callsOf, result, script, tasksOf, tool } from './agent-tasks.ts'
import { families, sampleOf } from './exposition.ts'

type Server = Pick<Awaited<ReturnType<typeof serveHere>>, 'api' | 'url'>
type Answer = Awaited<ReturnType<typeof read>>

/** Calls with a token of this user alone. */
const userOf = async ({ api, url }: Server, user_id: string): Promise<Api> => {
  const { body } = await read(api('POST', '/auth/tokens', { role: 'user', user_id }))
  return apiOf(url, (body as unknown as { token: string }).token)
}
const sleeps = {
  user_message_content: 'x',
  stream: false,
  background: true,
  agent_config: script({ sleep_ms: 600_000 }),
}
const create = (api: Api, more: object = {}, headers: Record<string, string> = {}) =>
  read(api('POST', '/tasks', { ...sleeps, ...more }, headers))
const idOf = ({ body, text }: Answer): string => body.result?.id ?? t.fail(text)

/** That an answer is the refusal of this quota. */
const isRefusal = (t: Test, answer: Answer, quota: string, limit: number) => {
  t.equal(answer.status, 429, answer.text)
  t.match(answer.headers.get('retry-after'), /^\d+$/)
  const error = answer.body.error ?? (answer.body as unknown as Answer['body']['error'])
  t.match(error, { code: -32027, data: { quota, limit } })
  t.match(error.message, String(limit), 'it says how many, and what to do')
}
const refusedSoFar = async ({ url }: Server, quota: string): Promise<number> => {
  const found = families(await (await fetch(`${url}/metrics`)).text())
  return sampleOf(found, 'reprise_quota_refusals_total', { quota }) ?? Number.NaN
}
const used = async ({ url }: Server, of: string): Promise<number> => {
  const found = families(await (await fetch(`${url}/metrics`)).text())
  return sampleOf(found, 'reprise_quota_used', { of }) ?? Number.NaN
}
const folderHere = (t: Test): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-quotas-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

t.test('of fifty creates at once exactly as many are made as a user may have', async t => {
  const server = await serveHere(t, { QUOTA_TASKS: '10' })
  const [ann, bob] = [await userOf(server, 'ann'), await userOf(server, 'bob')]
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(ann)))
  const made = answers.filter(({ status }) => status === 200)
  t.equal(made.length, 10)
  for (const answer of answers.filter(({ status }) => status !== 200)) isRefusal(t, answer, 'tasks', 10)
  t.equal(await refusedSoFar(server, 'tasks'), 40)
  t.equal(await used(server, 'tasks'), 10)
  t.equal((await create(bob)).status, 200, 'another user has room')
  t.equal((await create(server.api, { user_id: 'ann' })).status, 200, 'a token for all users is not bound')
  isRefusal(t, await create(ann), 'tasks', 10)

  const ids = made.map(idOf)
  for (const id of ids.slice(0, 3)) await read(ann('POST', `/tasks/${id}/cancel`))
  const again = await Promise.all(Array.from({ length: 10 }, () => create(ann)))
  t.equal(again.filter(({ status }) => status === 200).length, 2, "the admin's task for ann counts as hers")
})

t.test('what is asked again is no new task, and needs no room', async t => {
  const server = await serveHere(t, { QUOTA_TASKS: '1' })
  const ann = await userOf(server, 'ann')
  const key = { 'idempotency-key': 'k' }
  const first = idOf(await create(ann, {}, key))
  isRefusal(t, await create(ann), 'tasks', 1)
  t.equal(idOf(await create(ann, {}, key)), first, 'by its key')
  const retry = { 'x-stainless-retry-count': '1' }
  await read(ann('POST', `/tasks/${first}/cancel`))
  const named = idOf(await create(ann, { task_id: 'mine' }))
  t.equal(idOf(await create(ann, { task_id: 'mine' })), named, 'by its id')
  t.equal(idOf(await create(ann, { task_id: 'mine' }, retry)), named, 'by its body')
  t.equal((await create(ann, { task_id: 'mine', client_id: 'echo' })).status, 409, 'a conflict stays one')
})

t.test('answers for a task that waits go on, with no room for another task', async t => {
  const server = await serveHere(t, { QUOTA_TASKS: '1' })
  const ann = await userOf(server, 'ann')
  const { becomes } = tasksOf(ann)
  const asks = {
    client_tools: [tool('ask')],
    session_id: 's',
    agent_config: script({ tool: 'ask', arguments: {} }, { message: 'thanks' }),
  }
  const waits = async () => {
    const id = idOf(await create(ann, asks))
    const [call] = callsOf(await becomes(id, 'input-required'))
    return { id, history_messages: [result(String(call?.call_id), 'yes')] }
  }
  const one = await waits()
  isRefusal(t, await create(ann), 'tasks', 1)
  t.equal((await create(ann, { ...asks, ...one, task_id: one.id })).status, 200, 'by its id')
  await becomes(one.id, 'completed')
  const two = await waits()
  const continued = await create(ann, { ...sleeps, session_id: 's', history_messages: two.history_messages })
  t.equal(continued.status, 200, 'by another task of the session, which takes its place')
  await becomes(two.id, 'completed')
  isRefusal(t, await create(ann), 'tasks', 1)
})

t.test('a create that is not stored gives its place back', async t => {
  const server = await serveHere(t, { QUOTA_TASKS: '1' })
  const ann = await userOf(server, 'ann')
  for (const body of [{ structured_output: { type: 'nothing' } }, { task_id: 'with a space' }]) {
    t.equal((await create(ann, body)).status, 422)
  }
  t.equal((await create(ann, { user_id: 'bob' })).status, 403)
  t.equal((await create(ann)).status, 200)
  isRefusal(t, await create(ann), 'tasks', 1)
})

t.test('an agent that would give work to more subagents than fit is told so, and goes on', async t => {
  const server = await serveHere(t, { QUOTA_TASKS: '3' })
  const ann = await userOf(server, 'ann')
  const call = (n: number) => ({ tool: 'agent_echo', arguments: { input: `${n}` } })
  const delegates = { agent_config: script({ tools: [1, 2, 3, 4].map(call) }, { message: 'done' }) }
  const answer = await read(ann('POST', '/tasks', { ...sleeps, background: false, ...delegates }))
  t.match(answer.body.result, { status: 'completed' })
  const results = answer.body.result.output.filter(({ type }) => type === 'tool_result')
  t.equal(
    results.filter(({ status }) => status === 'completed').length,
    2,
    'with its own task there are three',
  )
  const refused = results.filter(({ status }) => status === 'incomplete')
  t.equal(refused.length, 2)
  for (const item of refused) t.match(JSON.stringify(item), /at most 3 unfinished tasks/)
  t.equal(await used(server, 'tasks'), 0, 'nothing is held when all have ended')

  const free = await read(
    server.api('POST', '/tasks', { ...sleeps, background: false, user_id: 'ann', ...delegates }),
  )
  const all = free.body.result.output.filter(({ type }) => type === 'tool_result')
  t.same([...new Set(all.map(({ status }) => status))], ['completed'], "an admin's task is not bound")
})

t.test('after a restart the count is what the log says, and a lowered limit ends nothing', async t => {
  const DATA_DIR = folderHere(t)
  const before = await serveHere(t, { DATA_DIR, QUOTA_TASKS: '3', QUOTA_SESSIONS: '2' })
  const { body } = await read(before.api('POST', '/auth/tokens', { role: 'user', user_id: 'ann' }))
  const { token } = body as unknown as { token: string }
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.push(idOf(await create(apiOf(before.url, token))))
  for (let n = 0; n < 2; n++) {
    t.equal((await read(apiOf(before.url, token)('POST', '/env/create', {}))).status, 200)
  }
  await before.stop()

  const after = await serveHere(t, { DATA_DIR, QUOTA_TASKS: '2', QUOTA_SESSIONS: '2' })
  const ann = apiOf(after.url, token)
  t.equal(await used(after, 'tasks'), 3, 'all three go on')
  isRefusal(t, await create(ann), 'tasks', 2)
  isRefusal(t, await read(ann('POST', '/env/create', {})), 'sessions', 2)
  for (const id of ids) t.equal((await tasksOf(ann).get(id)).status, 'working')
  await read(ann('POST', `/tasks/${ids[0]}/cancel`))
  isRefusal(t, await create(ann), 'tasks', 2)
  await read(ann('POST', `/tasks/${ids[1]}/cancel`))
  t.equal((await create(ann)).status, 200)
})

t.test('of twelve environment sessions at once exactly as many are opened as a user may have', async t => {
  const server = await serveHere(t, { QUOTA_SESSIONS: '3', MAX_SESSIONS: '5' })
  const [ann, bob] = [await userOf(server, 'ann'), await userOf(server, 'bob')]
  const open = (api: Api, body: object = {}, headers: Record<string, string> = {}) =>
    read(api('POST', '/env/create', body, headers))
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => open(ann, { session_id: `ann-${n}` })),
  )
  t.equal(answers.filter(({ status }) => status === 200).length, 3)
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    isRefusal(t, answer, 'sessions', 3)
    t.equal(typeof (answer.body as { detail?: unknown }).detail, 'undefined')
  }
  const { body } = await read(ann('GET', '/env/sessions'))
  const names = (body as unknown as { sessions: { session_id: string }[] }).sessions.map(
    ({ session_id }) => session_id,
  )
  t.equal(names.length, 3)
  t.equal((await open(ann, { session_id: names[0] })).status, 200, 'one that is there is answered again')

  t.equal((await open(bob)).status, 200)
  t.equal((await open(server.api)).status, 200)
  isRefusal(t, await open(server.api), 'max_sessions', 5)
  isRefusal(t, await open(bob), 'max_sessions', 5)

  t.equal((await read(ann('POST', '/env/close', { session_id: names[0] }))).status, 200)
  t.equal((await read(ann('DELETE', `/env/session/${names[1]}`))).status, 200)
  t.equal(await used(server, 'sessions'), 3)
  t.equal((await open(ann, { env_init_kwargs: { width: 'wide' } })).status, 422)
  const key = { 'idempotency-key': 'once' }
  t.equal((await open(ann, {}, key)).status, 200)
  t.equal((await open(ann, { session_id: names[0] })).status, 200, 'a closed one is opened again')
  isRefusal(t, await open(ann), 'sessions', 3)
  t.equal((await open(ann, {}, key)).status, 200, 'a create that comes again opens nothing')
})

t.test('without limits there are none', async t => {
  const server = await serveHere(t, {
    ...{ QUOTA_TASKS: '0', QUOTA_SESSIONS: '0', QUOTA_STREAMS: '0', QUOTA_SOCKETS: '0' },
    ...{ MAX_SESSIONS: '0', MAX_STREAMS: '0' },
  })
  const ann = await userOf(server, 'ann')
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, () => create(ann)),
    ...Array.from({ length: 2 }, () => read(ann('POST', '/env/create', {}))),
  ])
  t.same([...new Set(answers.map(({ status }) => status))], [200])
  await until(async () => (await used(server, 'tasks')) === 5)
  t.equal(await used(server, 'sessions'), 2)
})
