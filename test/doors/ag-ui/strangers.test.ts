// Runs of others, and bodies that mean no good.
import t from 'tap'
import { fakeModel } from '../../support/fake-model.ts'
import { adminToken, serveHere } from '../../support/server.ts'
import { agentOf, eventsIn, post, resultOf, run, textOf, tool, user } from './clients.ts'
import { beHostile } from './hostile.ts'

const model = await fakeModel(t, [
  { when: 'Paint', tool_calls: [{ name: 'paint', arguments: {} }] },
  { text: 'Hello.' },
])
const { api, url, lines } = await serveHere(t, model.env)
const seed = Number(process.env.SEED ?? 171)

const tokenOf = async (body: object): Promise<string> =>
  ((await (await api('POST', '/auth/tokens', body)).json()) as { token: string }).token
const bearer = async (body: object) => ({ authorization: `Bearer ${await tokenOf(body)}` })
const ann = await bearer({ role: 'user', user_id: 'ann' })
const bob = await bearer({ role: 'user', user_id: 'bob' })

t.test('only those who may write run agents', async t => {
  const body = { threadId: 'thread-roles', messages: [user('Hi')] }
  for (const [role, status] of [
    ['admin', 200],
    ['user', 200],
    ['auditor', 403],
    ['subscriber', 403],
    ['eraser', 403],
    ['worker', 403],
  ] as const) {
    const answer = await post(url, 'echo', { ...body, runId: `run-${role}` }, await bearer({ role }))
    await answer.text()
    t.equal(answer.status, status, role)
  }
})

t.test('nobody reads, joins or answers the run of another user', async t => {
  const agent = agentOf(url, 'model', { headers: ann, threadId: 'thread-anns' })
  agent.addMessage(user('Paint'))
  const [last] = (await run(agent, { runId: 'run-anns', tools: [tool('paint')] })).slice(-1)
  const [call = ''] =
    (last as { outcome?: { pendingToolCallIds?: string[] } }).outcome?.pendingToolCallIds ?? []
  const { messages, threadId } = agent
  const send = async (body: object, headers = bob) => {
    const answer = await post(url, 'model', { threadId, ...body }, headers)
    return { status: answer.status, text: await answer.text() }
  }
  t.equal(
    (await send({ runId: 'run-anns', messages: [user('Paint')] })).status,
    404,
    'as if it did not exist',
  )
  t.equal(
    (await send({ runId: 'b1', messages: [], resume: [{ interruptId: call, status: 'resolved' }] })).status,
    422,
  )
  const asked = model.asked.length
  const own = await send({ runId: 'run-bobs', messages: [...messages, resultOf(call, 'red'), user('Hi')] })
  t.equal(textOf(eventsIn(own.text)), 'Hello.', 'a copied conversation is only a conversation')
  t.equal(model.asked.length, asked + 1)
  const task = (await (await api('GET', '/tasks/run-anns')).json()) as { result: { status: string } }
  t.equal(task.result.status, 'input-required')
  const admin = { authorization: `Bearer ${adminToken}` }
  t.equal((await send({ runId: 'run-anns', messages: [] }, admin)).status, 200, 'an admin may watch')
})

t.test(`hostile bodies get an answer, and never a failure of the server (SEED=${seed})`, async t => {
  const { wrong, statuses } = await beHostile(url, 'echo', seed, 200)
  t.same(wrong, [])
  for (const status of [200, 409, 422]) t.ok(statuses[status], `${status} was among the answers`)
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
