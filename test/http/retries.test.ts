// Retries within one life of the server, when the answer was cut off, beside requests that look like them.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { apiAs, dial, read, until } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'
import { counter, envCalls, modules } from './env-calls.ts'

const server = await serveHere(t, { ENV_PATH: modules })
const { made, call, step, add, observe } = envCalls(server.api)
const retry = { 'x-stainless-retry-count': '1' }
const replayed = 'idempotency-replayed'

/** Sends a request and goes away while it is carried out. */
const lost = async (where: string, body: object, isBegun: () => boolean | Promise<boolean>) => {
  const controller = new AbortController()
  const gone = fetch(`${server.url}/v1${where}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: controller.signal,
  }).catch(() => 'cut')
  await until(isBegun)
  controller.abort()
  return gone
}
/** A step whose answer is lost; it is done, and waits for nobody. */
const lostStep = async (session_id: string, folder: string, more: object = {}) => {
  const file = path.join(folder, `go-${session_id}`)
  const body = { session_id, tool_name: 'hold', tool_args: { file }, ...more }
  await lost('/env/step', body, () => existsSync(`${file}.begun`))
  writeFileSync(file, '')
  await observe(session_id) // waits its turn behind the step
  return body
}
const again = (body: object, headers: Record<string, string> = retry) =>
  call('POST', '/env/step', body, headers)

t.test('a lost step is given to its own retry, and to no other request', async t => {
  for (const other of [{ request_id: 'r2' }, { task_id: 't' }, { user_id: 'default' }, { stream: false }]) {
    const id = await made()
    const body = await lostStep(id, t.testdir(), { request_id: 'r1' })
    t.equal((await again({ ...body, ...other })).body.step, 2, `another: ${JSON.stringify(other)}`)
  }
  const id = await made()
  const body = await lostStep(id, t.testdir(), { request_id: 'r1' })
  const same = await again(body)
  t.equal(same.body.step, 1)
  t.equal(same.headers.get(replayed), 'true')
  t.equal((await again(body)).body.step, 2, 'once it has arrived it is not given again')
})

t.test('a step that was asked before a reset is not what is asked after it', async t => {
  const id = await made()
  const body = await lostStep(id, t.testdir())
  await call('POST', '/env/reset', { session_id: id })
  t.equal((await again(body)).body.step, 2)
})

t.test('a step that another principal takes meanwhile hides nothing, and is nobody else’s', async t => {
  const { text } = await read(server.api('POST', '/auth/tokens', { role: 'user', user_id: 'default' }))
  const other = envCalls(apiAs(server.url, (JSON.parse(text) as { token: string }).token))
  const id = await made()
  const body = await lostStep(id, t.testdir())
  t.equal((await other.call('POST', '/env/step', body, retry)).body.step, 2, 'equal, but not its own')
  t.equal((await again(body)).body.step, 1)
  const key = { 'idempotency-key': 'of each' }
  t.equal((await add(id, 1, key)).body.step, 3)
  t.equal((await other.add(id, 1, key)).body.step, 4, 'keys are of one principal, too')
  t.equal((await add(id, 1, key)).body.step, 3)
})

t.test('asking for an older step by its key does not make the newest one lost', async t => {
  const id = await made()
  const key = { 'idempotency-key': 'older' }
  await add(id, 1, key)
  await add(id, 2)
  await add(id, 1, key)
  t.equal((await add(id, 2, retry)).body.step, 3)
})

t.test('of two retries at once one is given the lost step', async t => {
  const id = await made()
  const body = await lostStep(id, t.testdir())
  const both = await Promise.all([again(body), again(body)])
  t.same(both.map(answer => answer.body.step).sort(), [1, 2])
})

t.test('after a close and a new create a step is a new one', async t => {
  const id = await made()
  const body = await lostStep(id, t.testdir())
  await call('POST', '/env/close', { session_id: id })
  t.equal((await again(body)).body.step, 1, 'while it is closed it is answered')
  await made({ session_id: id })
  t.equal((await again(body)).body.step, 2)
})

t.test('a reset with the key of another is that reset', async t => {
  const id = await made()
  const key = { 'idempotency-key': 'reset' }
  const body = { session_id: id, seed: 3 }
  const first = await call('POST', '/env/reset', body, key)
  t.equal(first.headers.get(replayed), null)
  await add(id, 1)
  const second = await call('POST', '/env/reset', body, key)
  t.equal(second.text, first.text)
  t.equal(second.headers.get(replayed), 'true')
  t.match((await observe(id)).body.state, { total: 1 }, 'nothing was reset')
  t.equal((await call('POST', '/env/reset', { ...body, seed: 4 }, key)).status, 409)
  t.equal((await add(id, 1, key)).status, 409, 'and it is no key of a step')
  t.equal(
    (await call('POST', '/env/reset', body, retry)).headers.get(replayed),
    null,
    'without it: once more',
  )
  t.match((await observe(id)).body.state, { total: 0 })
})

t.test(
  'a create of a session that was cut off is given to its retry, once, while nobody has used it',
  async t => {
    const sessions = async () => (await call('GET', '/env/sessions')).body.sessions.length
    const cutCreate = async (body: object) => {
      const before = await sessions()
      const sent = JSON.stringify(body)
      const { socket, closed } = await dial(server.url)
      const head = `POST /v1/env/create HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\n`
      const request = `${head}Content-Type: application/json\r\nContent-Length: ${sent.length}\r\n\r\n${sent}`
      // At once after the last byte: a fast machine would answer within any pause.
      socket.write(request, () => socket.destroy())
      await closed
      await until(async () => (await sessions()) === before + 1)
    }
    const body = { env_class_path: counter, client_id: 'cut' }
    const create = () => call('POST', '/env/create', body, retry)
    const delivered = await call('POST', '/env/create', body)
    const fresh = await create()
    t.not(fresh.body.session_id, delivered.body.session_id, 'one that arrived is never shared')
    await cutCreate(body)
    const [one, two] = await Promise.all([create(), create()])
    t.same([one, two].map(({ headers }) => headers.get(replayed)).sort(), [null, 'true'])
    t.not(one.body.session_id, two.body.session_id)
    await cutCreate(body)
    const used = (await call('GET', '/env/sessions')).body.sessions.at(-1)?.session_id ?? ''
    await step(used, 'add', { by: 1 })
    t.equal((await create()).headers.get(replayed), null, 'nor is one that somebody uses')
  },
)

t.test('answers that come again with other words are not passed over in silence', async t => {
  const ask = { type: 'function', function: { name: 'ask', parameters: { type: 'object' } } }
  const waiting = {
    user_message_content: 'x',
    stream: false,
    session_id: 'words',
    client_tools: [ask],
    agent_config: { agent_id: 'script', script: [{ tool: 'ask' }, { sleep_ms: 60_000 }] },
  }
  const { result } = (await read(server.api('POST', '/tasks', waiting))).body
  const call_id = (result as unknown as { input_required: { call_id: string } }).input_required.call_id
  const answer = (user_message_content: string) =>
    read(
      server.api('POST', '/tasks', {
        user_message_content,
        ...{ stream: false, background: true, session_id: 'words', task_id: result.id },
        history_messages: [{ type: 'tool_result', call_id, message_content: 'me', block_list: [] }],
      }),
    )
  t.equal((await answer('hurry')).status, 200)
  t.equal((await answer('hurry')).status, 200, 'the same again')
  t.match(await answer('wait'), { status: 400, body: { error: { code: -32022 } } })
  await server.api('POST', `/tasks/${result.id}/cancel`)
})
