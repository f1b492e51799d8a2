// The agents in examples/agents, as a server runs them that is a process of its own. The model is a fake one, and the shop, the
// post office and the booking office are a server that writes down what it is asked for.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { startTestServer } from '../../library/testing/index.ts'
import { freePort } from '../../src/platform/free-port.ts'
import { type Answer, fakeModel } from '../support/fake-model.ts'
import { type Api, spawnServer } from '../support/server.ts'
import { shop } from './example-workers.ts'

const root = path.resolve(import.meta.dirname, '../..')
const examples = path.join(root, 'examples/agents')

const story: Answer[] = [
  { when: 'Which order does this message speak of?', text: '{"order": 1001}' },
  { when: 'Tell the customer', text: 'You will have your 34 EUR soon.' },
  { when: 'Split this question', text: '{"questions": ["How deep is it?", "How old is it?"]}' },
  { when: 'Answer in one sentence: How deep', text: 'It is 1,642 metres deep.' },
  { when: 'Answer in one sentence: How old', text: 'It is 25 million years old.' },
  { when: 'Answer from these notes', text: 'It is deep and old.' },
]

/** What is outside of the server: it answers, and writes down every request that changes something. */
const outside = async (t: Test) => {
  const posts: { path: string; body: unknown }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    if (request.method === 'POST') posts.push({ path: request.url ?? '', body: JSON.parse(body) })
    const order = { what: 'two mugs', price: 34 }
    response.end(JSON.stringify(request.method === 'POST' ? { number: posts.length } : order))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posts }
}

type Task = {
  id: string
  status: string
  input_required: { call_id: string; name: string; arguments: string }
  output: { type: string; name?: string; message_content?: { text: string }[] }[]
}
const idOf = async (answer: Response): Promise<string> => {
  const made = (await answer.json()) as { result?: { id: string } }
  if (made.result === undefined) throw new Error(`no task was made: ${JSON.stringify(made)}`)
  return made.result.id
}
const create = (api: Api, agent: string, text: string, more: object = {}, config: object = {}) =>
  api('POST', '/tasks', {
    ...{ user_message_content: text, stream: false, background: true, ...more },
    agent_config: { agent_id: agent, ...config },
  }).then(idOf)
/** Waits until the task fits. */
const until = async (api: Api, id: string, fits: (task: Task) => boolean): Promise<Task> => {
  const late = Date.now() + 60_000
  for (;;) {
    const { result } = (await (await api('GET', `/tasks/${id}`)).json()) as { result: Task }
    if (fits(result)) return result
    if (Date.now() > late) throw new Error(`the task has not come so far: ${JSON.stringify(result)}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}
const asks = ({ status }: Task) => status === 'input-required'
const ended = ({ status }: Task) => ['completed', 'failed', 'canceled', 'expired'].includes(status)
const answer = (api: Api, { id, input_required: { call_id } }: Task, message_content: string) =>
  api('POST', `/tasks/${id}/input`, { tool_results: [{ call_id, message_content }] })
const last = ({ output }: Task) =>
  output.findLast(({ message_content }) => message_content)?.message_content?.[0]?.text

const serve = async (t: Test, answers: Answer[] = story) => {
  const dataDir = t.testdir()
  const { env } = await fakeModel(t, answers)
  const all = { ...env, AGENT_PATH: examples, ENV_UID_BASE: '0', DRAIN_SECONDS: '0' }
  const server = await spawnServer(t, dataDir, all)
  const world = await outside(t)
  return { ...world, server, again: () => spawnServer(t, dataDir, all) }
}

t.test('every agent of the examples is loaded', async t => {
  const { server } = await serve(t)
  const names = ['approval', 'chess-player', 'reader', 'reminders', 'researcher', 'support']
  for (const name of names)
    t.match(
      await until(server.api, await create(server.api, name, 'hello', { env: {} }), () => true),
      {},
      name,
    )
  const { data } = (await (await server.api('GET', '/agents')).json()) as {
    data: { name: string; source: string; error?: string }[]
  }
  const own = data.filter(({ source }) => source !== 'reprise')
  t.same(own.map(({ name }) => name).sort(), names)
  t.same(
    own.filter(({ error }) => error !== undefined),
    [],
  )
})

t.test('the support agent asks the manager, and pays once, also when server and host are killed', async t => {
  const { url, posts, server, again } = await serve(t)
  const id = await create(server.api, 'support', 'My mugs of order 1001 are broken.', {
    env: { SHOP_URL: url },
  })
  const asking = await until(server.api, id, asks)
  t.same(JSON.parse(asking.input_required.arguments), { order: 1001, price: 34 })
  await server.end('SIGKILL')
  const { api } = await again()
  await answer(api, asking, 'approved')
  const task = await until(api, id, ended)
  t.equal(last(task), 'You will have your 34 EUR soon.')
  t.same(posts, [{ path: '/refunds', body: { order: 1001 } }])
})

t.test('the support agent pays nothing that the manager declines', async t => {
  const { url, posts, server } = await serve(t)
  const id = await create(server.api, 'support', 'Order 1001 is broken.', { env: { SHOP_URL: url } })
  await answer(server.api, await until(server.api, id, asks), 'declined')
  t.match(last(await until(server.api, id, ended)), /does not pay/)
  t.same(posts, [])
})

t.test('the researcher asks two readers, and writes one answer', async t => {
  const { server } = await serve(t)
  const task = await until(server.api, await create(server.api, 'researcher', 'How is Lake Baikal?'), ended)
  t.equal(last(task), 'It is deep and old.')
  t.equal(task.output.filter(({ name }) => name === 'agent_reader').length, 2)
})

t.test('the chess player sees a mate in one move', async t => {
  const { server } = await serve(t)
  const fen = 'r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4'
  const made = await server.api('POST', '/env/create', { env_id: 'chess', env_init_kwargs: { fen } })
  const { session_id } = (await made.json()) as { session_id: string }
  const task = await until(
    server.api,
    await create(server.api, 'chess-player', 'play', { session_id }),
    ended,
  )
  t.match(last(task), /checkmate/i)
})

t.test('the approval books what is approved', async t => {
  const { url, posts, server } = await serve(t)
  const id = await create(server.api, 'approval', 'a room', {}, { url: `${url}/bookings` })
  await until(server.api, id, ({ status }) => status === 'working')
  await server.api('POST', `/tasks/${id}/messages`, { content: 'approve' })
  t.equal(last(await until(server.api, id, ended)), 'Booked: 1')
  t.same(posts, [{ path: '/bookings', body: { what: 'a room' } }])
})

t.test('the approval waits for a week, also when the server starts again meanwhile', async t => {
  const { default: approval } = await import(path.join(examples, 'approval.mjs'))
  const server = await startTestServer({ agents: { approval } })
  t.teardown(server.stop)
  const task = await server.task('approval', 'a room')
  for (const days of [2, 4, 6]) {
    await server.clock.advance('2 days')
    await server.restart()
    t.match(
      await task.get(),
      { status: 'working', metadata: { sleeping_until: Number } },
      `after ${days} days`,
    )
  }
  await server.clock.advance('1 day')
  t.equal(await task.result(), 'Nobody has answered.')
})

t.test('the agent in Python reminds until somebody has paid', async t => {
  const { url, posts, server } = await serve(t)
  const more = { env: { MAIL_URL: `${url}/letters` } }
  const id = await create(server.api, 'reminders', 'Invoice 7', more, { wait_ms: 300 })
  await until(server.api, id, asks)
  t.same(
    posts.map(({ body }) => body),
    [1, 2, 3].map(reminder => ({ reminder, text: 'Invoice 7' })),
  )
  const paid = await create(server.api, 'reminders', 'Invoice 8', more)
  await until(server.api, paid, ({ output }) => output.length > 0)
  await server.api('POST', `/tasks/${paid}/messages`, { content: 'paid' })
  t.equal(last(await until(server.api, paid, ended)), 'Paid after 1 reminders: paid')
})

t.test('the worker beside a Fastify application sells its stock, and hands over at SIGTERM', async t => {
  const { server } = await serve(t)
  const made = await server.api('POST', '/auth/tokens', { role: 'worker' })
  const { token } = (await made.json()) as { token: string }
  const { start: startShop, remove } = shop()
  t.teardown(remove)
  const start = async () => {
    const port = await freePort()
    const child = startShop({ url: server.url, token, port })
    t.teardown(() => void child.kill('SIGKILL'))
    child.stderr?.pipe(process.stderr)
    await once(child.stdout as Readable, 'data')
    const stock = async () => (await fetch(`http://127.0.0.1:${port}/stock`)).json()
    return { shop: child, stock }
  }
  const first = await start()
  const id = await create(server.api, 'order', 'mug')
  const asking = await until(server.api, id, asks)
  t.match(JSON.parse(asking.input_required.arguments), { thing: 'mug', left: 11 })
  t.same(await first.stock(), { mug: 11 })
  first.shop.kill('SIGTERM')
  t.same(await once(first.shop, 'exit'), [0, null])
  const second = await start()
  await answer(server.api, asking, 'yes')
  t.equal(last(await until(server.api, id, ended)), 'One mug is on its way.')
  t.same(await second.stock(), { mug: 12 }, 'what was stored is not done again')
})

t.test('the Dockerfile of the worker has twelve lines', async t => {
  t.equal(readFileSync(path.join(examples, 'worker/Dockerfile'), 'utf8').trimEnd().split('\n').length, 12)
})
