// GET /tasks/{id}/rollouts?format=atif: the document itself, for whoever may see the task.
import t from 'tap'
import { atifProblems } from '../history/atif-problems.ts'
import { brief, read, until } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { callId, script, tasksOf, tool } from './agent-tasks.ts'

const dataDir = t.testdir()
const { api, url, stop } = await serveHere(t, { DATA_DIR: dataDir })
const { play, get, act, answer, becomes } = tasksOf(api)

type Document = {
  trajectory_id: string
  session_id: string
  steps: { source: string; message: string; observation?: { results: { content: string }[] } }[]
  subagent_trajectories?: Document[]
  extra: Record<string, unknown>
}
const where = (id: string) => `/tasks/${id}/rollouts?format=atif`
const atif = async (id: string): Promise<Document> => {
  const answered = await read(api('GET', where(id)))
  t.equal(answered.status, 200)
  t.match(answered.headers.get('content-type'), /^application\/json/)
  t.same(atifProblems(answered.body), [])
  return answered.body as unknown as Document
}
const said = ({ steps }: Document) => steps.map(({ source, message }) => `${source} ${message}`.trim())

const sum = { tool: 'calculator', arguments: { expression: '6*7' } }
const end = { message: 'so: $result' }
const child = (...steps: object[]) => ({ subagent: 'script', input: JSON.stringify(steps) })

t.test('it is the document, without an envelope', async t => {
  const task = await play([{ reasoning: 'hm' }, { tools: [sum, sum] }, end], { session_id: 's1' })
  const document = await atif(task.id)
  t.match(document, { schema_version: 'ATIF-v1.7', session_id: 's1', trajectory_id: task.id })
  t.same(said(document), ['user x', 'agent', 'agent', 'agent so: 42'])
  t.match(document.steps[2]?.observation, { results: [{ content: '42' }, { content: '42' }] })
})

t.test("subagents' documents are always in it, whatever the request said of their entries", async t => {
  const task = await play([child(child({ message: 'c' }), { message: 'b' }), end])
  const document = await atif(task.id)
  t.same(said(document), ['user x', 'agent', 'agent so: b'])
  const [inner] = document.subagent_trajectories ?? []
  t.same(said(inner as Document).slice(1), ['agent', 'agent b'])
  t.same(said(inner?.subagent_trajectories?.[0] as Document).slice(1), ['agent c'])
})

t.test('a task at work is told so far; an answer and a message are told when they came', async t => {
  const task = await play([{ tool: 'ask' }, { sleep_ms: 60_000 }], { client_tools: [tool('ask')] })
  t.same(said(await atif(task.id)), ['user x', 'agent'])
  await act(task.id, 'messages', { content: 'quick' })
  await answer(task.id, { call_id: callId(task), message_content: 'me' })
  await becomes(task.id, 'working')
  await until(async () => (await atif(task.id)).steps.length === 3)
  const document = await atif(task.id)
  t.same(said(document), ['user x', 'agent', 'user quick'])
  t.match(document.steps[1]?.observation?.results, [{ content: 'me' }])
  await act(task.id, 'cancel')
  t.match((await atif(task.id)).extra, { status: 'canceled' })
})

t.test('a reward shows as soon as it was given', async t => {
  const { id } = await play([{ message: 'a' }])
  t.notOk('reward' in (await atif(id)).extra)
  await act(id, 'reward', { value: 0.25, name: 'style' })
  t.match((await atif(id)).extra, { reward: 0.25, rewards: [{ value: 0.25, name: 'style' }] })
})

t.test('values of env are in no document', async t => {
  const task = await play([sum, end], { env: { KEY: 'sk-hidden' } })
  t.notMatch(JSON.stringify(await atif(task.id)), /sk-hidden/)
})

t.test('the format has one name; a task that is not there, or not theirs, has no document', async t => {
  const { id } = await play([{ message: 'a' }])
  for (const format of ['ATIF', 'atif-1.7', 'atif,json']) {
    const { status, body } = await read(api('GET', `/tasks/${id}/rollouts?format=${format}`))
    t.equal(status, 422, format)
    t.match(brief(body.detail), [/^query format /])
  }
  const missing = { status: 404, body: { code: -32001 } }
  t.match(await read(api('GET', where('nothing'))), missing)
  const made = await read(api('POST', '/auth/tokens', { role: 'user', user_id: 'ann' }))
  const ann = apiOf(url, (made.body as unknown as { token: string }).token)
  t.match(await read(ann('GET', where(id))), missing)
  t.equal((await api('DELETE', `/tasks/${id}`)).status, 200)
  t.match(await read(api('GET', where(id))), missing)
})

t.test('after a restart it is the same to the byte', async t => {
  const body = {
    user_message_content: 'x',
    stream: false,
    agent_config: script(sum, child({ message: 'b' }), end),
  }
  const { id } = (await read(api('POST', '/tasks', body))).body.result
  await get(id)
  const before = await read(api('GET', where(id)))
  await stop()
  const next = await serveHere(t, { DATA_DIR: dataDir })
  t.equal((await read(next.api('GET', where(id)))).text, before.text)
})
