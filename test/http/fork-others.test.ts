// Forks of long texts and of group chats, by other callers, and under quotas.
import t from 'tap'
import { chatOf, linesOf, says } from '../group-chat/chats.ts'
import { serveMcp } from '../mcp/servers/http.ts'
import { read, until } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { callId, holds, script, tasksOf, textsOf, tool } from './agent-tasks.ts'
import { endsOf, forksOf, isSameWork } from './fork-calls.ts'

const { api, url, system } = await serveHere(t, { QUOTA_TASKS: '3', ALLOW_PRIVATE_URLS: '1' })
const tasks = tasksOf(api)
const { play, post, get, becomes, frames, act } = tasks
const { fork, diff } = forksOf(api)
const tokenOf = async (body: object) => {
  const made = (await read(api('POST', '/auth/tokens', body))).body as unknown as { token: string }
  return apiOf(url, made.token)
}

t.test('a task with payloads that are stored in pieces is forked behind any of its items', async t => {
  const long = 'long text '.repeat(40_000)
  const task = await play([{ message: 'one' }, { message: long }, { message: 'end' }], {
    user_message_content: long,
  })
  const all = await frames(task.id)
  const ats = [0, ...endsOf(all), all.length - 1]
  for (const at of ats) {
    const made = await fork(task.id, { at })
    const ended = await becomes(made.id, 'completed')
    t.same(textsOf(ended), ['one', long, 'end'], `at ${at}`)
    isSameWork(t, await diff(task.id, made.id), at)
    await holds(t, tasks, made.id)
  }
})

t.test('a group chat is forked in the middle, and goes on with its speakers', async t => {
  const chat = chatOf([says('ann', 'a1', 'a2'), says('bob', 'b1', 'b2')], { max_rounds: 2 }) as object
  const { body } = await post(chat)
  const { id } = body.result
  const lines = linesOf((await get(id)).output)
  t.same(lines, ['ann: a1', 'bob: b1', 'ann: a2', 'bob: b2'])
  const all = await frames(id)
  const cut = all.findIndex(({ item }) => JSON.stringify(item ?? '').includes('b1'))
  const before = system.log.head()
  const made = await fork(id, { at: cut })
  const ended = await becomes(made.id, 'completed', 'failed')
  t.equal(ended.status, 'completed')
  t.same(linesOf(ended.output), lines, 'the speakers go on where they were')
  isSameWork(t, await diff(id, made.id), cut)
  t.equal((await get(id)).output.length, 4, 'the chat itself does not change')
  const said: string[] = []
  for await (const page of system.log.readAll(before))
    for (const { header } of page)
      if (header.type === 'GroupChatMessage' && header.copy_of === undefined) said.push(header.stream)
  t.same([...new Set(said)], [`task-${made.id}`])
  t.ok(said.length < 4, 'what was said before is not said again')
})

const echoes = [{ tool: 'place__echo', arguments: { text: 'x' } }, { message: 'end' }]
/** The settings of an agent that uses one server, with this key in a header or without a header. */
const withKey = (url: string, key?: string) => ({
  tool_mcp_config: { place: key === undefined ? { url } : { url, headers: { 'X-Key': key } } },
})

t.test('a fork of a task whose secret values are gone has those that its caller gives', async t => {
  const { url: place, seen } = await serveMcp(t)
  const agent_config = { ...script(...echoes), ...withKey(place, 'old') }
  const { id } = (await post({ agent_config })).body.result
  t.match(await becomes((await fork(id, { at: 0 })).id, 'paused'), { metadata: { reason: 'secret_missing' } })
  const keysOf = async (settings: object) => {
    const before = seen.length
    await becomes((await fork(id, { at: 0, agent_config: settings })).id, 'completed')
    return [...new Set(seen.slice(before).map(headers => headers['x-key']))]
  }
  t.same(await keysOf(withKey(place, 'new')), ['new'])
  t.same(await keysOf(withKey(place)), [undefined], 'it needs none')
  const both = (await post({ agent_config, env: { A: 'a' } })).body.result
  const made = await fork(both.id, { at: 0, agent_config: withKey(place, 'new') })
  t.match(await becomes(made.id, 'paused'), { metadata: { reason: 'secret_missing' } }, 'its env is gone')
})

t.test('the headers of a task do not go to a server that the caller of a fork names', async t => {
  const [old, other] = [await serveMcp(t), await serveMcp(t)]
  const agent_config = { ...script({ pause: 'tea' }, ...echoes), ...withKey(old.url, 'old') }
  const { id } = (await post({ agent_config })).body.result
  const made = await fork(id, { at: 0, agent_config: { ...withKey(other.url), ...script(...echoes) } })
  await becomes(made.id, 'completed')
  t.same([...new Set(other.seen.map(headers => headers['x-key']))], [undefined])
  await act(id, 'cancel')
})

t.test('only those may fork who may create tasks and see this one', async t => {
  const ada = await tokenOf({ role: 'user', user_id: 'ada' })
  const bob = await tokenOf({ role: 'user', user_id: 'bob' })
  const auditor = await tokenOf({ role: 'auditor' })
  const subscriber = await tokenOf({ role: 'subscriber' })
  const task = (await tasksOf(ada).play([{ message: 'mine' }])).id
  const theirs = await forksOf(bob).ask(task, { at: 0 })
  t.same(theirs, { ...theirs, status: 404 })
  t.same(theirs.text, (await forksOf(bob).ask('nothing', { at: 0 })).text, 'as if it did not exist')
  for (const who of [auditor, subscriber]) t.equal((await forksOf(who).ask(task, { at: 0 })).status, 403)
  const byAdmin = await fork(task, { at: 0 })
  t.equal(byAdmin.user_id, 'ada', 'a fork belongs to the user of the task')
  t.equal((await forksOf(bob).ask(byAdmin.id, { at: 0 })).status, 404)
  const taken = await tasksOf(bob).play([{ message: 'x' }], { task_id: 'taken' })
  const conflict = await forksOf(ada).ask(task, { at: 0, task_id: taken.id })
  t.equal(conflict.status, 404, 'an id of another user is as an unknown task')
})

t.test('a fork counts for the quota of unfinished tasks', async t => {
  const cem = await tokenOf({ role: 'user', user_id: 'cem' })
  const of = tasksOf(cem)
  const task = await of.play([{ tool: 'ask' }, { message: 'so' }], { client_tools: [tool('ask')] })
  const at = (await of.frames(task.id)).length - 1
  const forks = await Promise.all([1, 2, 3, 4].map(() => forksOf(cem).ask(task.id, { at })))
  t.same(forks.map(({ status }) => status).sort(), [200, 200, 429, 429])
  t.match(forks.find(({ status }) => status === 429)?.body, {
    code: -32027,
    data: { quota: 'tasks', limit: 3 },
  })
  t.ok(callId(task))
  await act(task.id, 'cancel')
  await until(async () => (await forksOf(cem).ask(task.id, { at })).status === 200)
})
