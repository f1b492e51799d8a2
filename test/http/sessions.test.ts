// Tasks of one session, as a client sees them.
import t from 'tap'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'

const { api } = await serveHere(t)
const create = async (more: object) =>
  (
    await read(
      api('POST', '/tasks', { user_message_content: 'x', stream: false, client_id: 'echo', ...more }),
    )
  ).body.result
const sleeping = { background: true, agent_config: { agent_id: 'script', script: [{ sleep_ms: 600_000 }] } }
const get = async (id: string) => (await read(api('GET', `/tasks/${id}`))).body.result
const act = (verb: string, id: string) => read(api('POST', `/tasks/${id}/${verb}`))
const said = (task: { output: unknown }) => JSON.stringify(task.output)

t.test('one task of a session works, the next ones wait in order', async t => {
  const session_id = 'in-line'
  const first = await create({ session_id, ...sleeping })
  const second = await create({ session_id, ...sleeping })
  const third = await create({ session_id, background: true })
  t.same(
    [first, second, third].map(({ status }) => status),
    ['working', 'queued', 'queued'],
  )
  await act('cancel', first.id)
  await until(async () => (await get(second.id)).status === 'working')
  t.equal((await get(third.id)).status, 'queued')
  await act('cancel', second.id)
  await until(async () => (await get(third.id)).status === 'completed')
})

t.test('a blocking create in a busy session waits for its turn', async t => {
  const session_id = 'patient'
  const first = await create({ session_id, ...sleeping })
  const second = create({ session_id })
  setTimeout(() => void act('cancel', first.id), 100)
  t.match(await second, { status: 'completed', previous_task_id: first.id })
})

t.test('a task that was canceled while it waited never starts', async t => {
  const session_id = 'left'
  const first = await create({ session_id, ...sleeping })
  const second = await create({ session_id, background: true })
  t.match((await act('cancel', second.id)).body, { status: 'canceled' })
  await act('cancel', first.id)
  const third = await create({ session_id })
  t.equal(third.status, 'completed')
  t.same((await get(second.id)).output, [])
})

t.test('a paused task frees the place, and goes on beside another when resumed', async t => {
  const session_id = 'paused'
  const script = [{ pause: 'look' }, { message: 'on' }]
  const first = await create({ session_id, agent_config: { agent_id: 'script', script } })
  t.equal(first.status, 'paused')
  const second = await create({ session_id, ...sleeping })
  t.equal(second.status, 'working')
  await act('resume', first.id)
  await until(async () => (await get(first.id)).status === 'completed')
  t.equal((await get(second.id)).status, 'working')
})

// The demo agent takes its time, so these three sessions run side by side before their tests look at them.
const demoIn = (session_id: string, more: object = {}) => create({ session_id, client_id: 'demo', ...more })
const message = (id: string, role = 'user') => ({ type: 'message', id, role, message_content: id })
const told = async () => {
  const first = await demoIn('told')
  const second = await demoIn('told')
  const script = [{ message: 'a' }, { fail: { code: -32000, message: 'no' } }]
  await create({ session_id: 'told', agent_config: { agent_id: 'script', script } })
  return { first, second, third: await demoIn('told') }
}
const forgotten = async () => {
  const first = await create({ session_id: 'forgotten' })
  const second = await create({ session_id: 'forgotten' })
  await read(api('DELETE', `/tasks/${second.id}`))
  return { first, second, third: await demoIn('forgotten') }
}
const given = async () => {
  const first = await create({ session_id: 'given', history_messages: [message('h1'), message('h2')] })
  const thought_messages = [message('h1'), message('t1', 'assistant')]
  const second = await demoIn('given', { thought_messages })
  const history_messages = [message('h1'), message('h3'), message('h1')]
  return { first, second, third: await demoIn('given', { history_messages, thought_messages }) }
}
const demos = Promise.all([told(), forgotten(), given()])

t.test('a task sees the messages and answers before it, and nothing of what failed', async t => {
  const [{ first, second, third }] = await demos
  t.match(said(first), /first message here/)
  t.match(said(second), /I see 3 earlier items/)
  t.match(said(third), /I see 6 earlier items/)
})

t.test('a deleted task counts no longer', async t => {
  const [, { first, second, third }] = await demos
  t.equal(second.previous_task_id, first.id)
  t.equal(third.previous_task_id, first.id)
  t.match(said(third), /I see 2 earlier items/)
})

t.test('thoughts of a request come after what the session has, without doubles', async t => {
  const [, , { first, second }] = await demos
  t.equal(second.previous_task_id, first.id)
  t.match(said(second), /I see 5 earlier items/) // h1, h2, a message and its answer; then t1
})

t.test('a request with history brings its own past, without doubles', async t => {
  const [, , { second, third }] = await demos
  t.equal(third.previous_task_id, second.id)
  t.match(said(third), /I see 3 earlier items/) // h1, h3 and t1, and nothing of the session
})

t.test('sessions of their own when none is named', async t => {
  const [first, second] = [await create({}), await create({ client_id: 'demo' })]
  t.not(first.session_id, second.session_id)
  t.equal(second.previous_task_id, undefined)
  t.match(said(second), /first message here/)
})
