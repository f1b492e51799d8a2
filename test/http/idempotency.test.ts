// Asking again: by key, by id, and after an answer that did not arrive.
import t from 'tap'
import { dial, idsOf, pause, read, until } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'
import { dataLines, follow } from '../support/sse.ts'

const { api, url, lines } = await serveHere(t)
const echo = { user_message_content: 'x', stream: false, client_id: 'echo' }
const script = (...steps: object[]) => ({ agent_config: { agent_id: 'script', script: steps } })
const post = (body: object, headers = {}) => read(api('POST', '/tasks', body, headers))
const again = { 'x-stainless-retry-count': '1' }
const replayed = 'idempotency-replayed'
const tasksOf = async (session_id: string) =>
  idsOf(await read(api('GET', `/tasks?limit=100&session_id=${session_id}`)))

/** Sends a create and breaks the connection when `when` says so. */
const cut = async (body: object, when: (raw: string) => boolean | Promise<boolean>) => {
  const text = JSON.stringify(body)
  const { socket, state, closed } = await dial(url)
  socket.write(
    `POST /v1/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  await until(() => when(state.raw))
  socket.destroy()
  await closed
  await pause(20)
  return state.raw
}

t.test('the same key and body give the same task, marked as a replay', async t => {
  const key = { 'idempotency-key': 'k-1' }
  const first = await post({ ...echo, request_id: 'r' }, key)
  t.equal(first.headers.get(replayed), null)
  const second = await post({ ...echo, request_id: 'r' }, key)
  t.equal(second.status, 200)
  t.equal(second.headers.get(replayed), 'true')
  t.equal(second.text, first.text)
})

t.test('the same key and another body is a conflict that is not worth trying again', async t => {
  const key = { 'idempotency-key': 'k-2' }
  await post(echo, key)
  const { status, headers, body } = await post({ ...echo, user_message_content: 'y' }, key)
  t.equal(status, 409)
  t.equal(headers.get('x-should-retry'), 'false')
  t.match(body, { jsonrpc: '2.0', error: { code: -32023 } })
})

t.test('the order of fields and the values of env make no other body', async t => {
  const key = { 'idempotency-key': 'k-3' }
  const first = await post({ ...echo, metadata: { a: 1, b: 2 }, env: { A: 'one' } }, key)
  const second = await post({ env: { A: 'two' }, metadata: { b: 2, a: 1 }, ...echo }, key)
  t.equal(second.body.result.id, first.body.result.id)
  const third = await post({ ...echo, metadata: { a: 1, b: 2 }, env: { B: 'one' } }, key)
  t.equal(third.status, 409, 'its names do')
})

t.test('a key that is too long is refused, and an empty one is as good as none', async t => {
  t.equal((await post(echo, { 'idempotency-key': 'x'.repeat(257) })).status, 422)
  const [one, other] = [
    await post(echo, { 'idempotency-key': '' }),
    await post(echo, { 'idempotency-key': '' }),
  ]
  t.same([one.status, other.status], [200, 200])
  t.not(one.body.result.id, other.body.result.id)
})

t.test('a streamed replay begins at 0', async t => {
  const key = { 'idempotency-key': 'k-4' }
  const body = { ...echo, stream: true }
  const first = await follow(api('POST', '/tasks', body, key))
  const whole = dataLines(await first.rest())
  const second = await follow(api('POST', '/tasks', body, key))
  t.equal(second.response.headers.get(replayed), 'true')
  t.equal(second.response.headers.get('x-task-id'), first.frames()[0]?.task_id)
  t.same(dataLines(await second.rest()), whole)
})

t.test(
  'the envelopes of a replay have the id of its X-Request-ID: its own, or else that of the first',
  async t => {
    for (const stream of [true, false]) {
      const key = { 'idempotency-key': `k-ids-${stream}` }
      const idOf = async (headers = {}) => {
        const answer = await api('POST', '/tasks', { ...echo, stream }, { ...key, ...headers })
        const text = await answer.text()
        const { id } = JSON.parse(stream ? (dataLines(text)[0] ?? '').slice(5) : text) as { id: string }
        t.equal(answer.headers.get('x-request-id'), id)
        return id
      }
      const first = await idOf()
      t.equal(await idOf(), first)
      t.equal(await idOf({ 'x-request-id': 'mine' }), 'mine')
    }
  },
)

t.test('a replay waits for the end as the first call does', async t => {
  const key = { 'idempotency-key': 'k-5' }
  const body = { ...echo, ...script({ sleep_ms: 300 }, { message: 'done' }) }
  const [first, second] = await Promise.all([post(body, key), pause(100).then(() => post(body, key))])
  t.equal(second.body.result.status, 'completed')
  t.same(second.body.result, first.body.result)
})

t.test('equal keys at the same time are one task', async t => {
  const session_id = 'at-once'
  const answers = await Promise.all(
    Array.from({ length: 16 }, () => post({ ...echo, session_id }, { 'idempotency-key': 'k-6' })),
  )
  t.same([...new Set(answers.map(({ status }) => status))], [200])
  t.equal(new Set(answers.map(({ body }) => body.result.id)).size, 1)
  t.equal(answers.filter(({ headers }) => headers.get(replayed) === null).length, 1)
  t.equal((await tasksOf(session_id)).length, 1)
})

t.test('equal keys at the same time with other bodies: one is made, the others conflict', async t => {
  const session_id = 'at-odds'
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      post({ ...echo, session_id, user_message_content: `${n}` }, { 'idempotency-key': 'k-7' }),
    ),
  )
  t.same(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)])
  t.equal((await tasksOf(session_id)).length, 1)
})

t.test('a task_id of the caller is a key for ever, and of a deleted task a conflict', async t => {
  const body = { ...echo, task_id: 'mine' }
  const first = await post(body)
  const second = await post(body)
  t.equal(second.headers.get(replayed), 'true')
  t.same(second.body.result, first.body.result)
  t.match(await post({ ...body, user_message_content: 'y' }), {
    status: 409,
    body: { error: { code: -32023 } },
  })
  const atOnce = await Promise.all(Array.from({ length: 8 }, () => post({ ...echo, task_id: 'mine-too' })))
  t.equal(new Set(atOnce.map(({ body: answer }) => answer.result.id)).size, 1)
  await read(api('DELETE', '/tasks/mine'))
  const { status, headers } = await post(body)
  t.equal(status, 409)
  t.equal(headers.get('x-should-retry'), 'false')
})

t.test('sixteen equal creates are sixteen tasks', async t => {
  const session_id = 'sampling'
  const answers = await Promise.all(Array.from({ length: 16 }, () => post({ ...echo, session_id })))
  t.equal(new Set(answers.map(({ body }) => body.result.id)).size, 16)
  t.ok(answers.every(({ headers }) => headers.get(replayed) === null))
})

t.test('a request_id is no key', async t => {
  const body = { ...echo, request_id: 'chain' }
  t.not((await post(body)).body.result.id, (await post(body)).body.result.id)
})

t.test('a retry of the only equal create gives its task', async t => {
  const body = { ...echo, session_id: 'only' }
  const first = await post(body)
  const retry = await post(body, again)
  t.equal(retry.headers.get(replayed), 'true')
  t.equal(retry.body.result.id, first.body.result.id)
  const none = await post(body, { 'x-stainless-retry-count': '0' })
  t.not(none.body.result.id, first.body.result.id, 'a count of 0 is no retry')
})

t.test('a retry of what was never seen is a new task', async t => {
  const { headers, status } = await post({ ...echo, session_id: 'unseen' }, again)
  t.equal(status, 200)
  t.equal(headers.get(replayed), null)
})

t.test('cut before the answer, a retry gets that task and not a sibling', async t => {
  const session_id = 'cut-blocking'
  const body = { ...echo, session_id, ...script({ sleep_ms: 400 }, { message: 'done' }) }
  const sibling = await post(body)
  const raw = await cut(body, async () => (await tasksOf(session_id)).length === 2)
  t.equal(raw, '')
  const [lost] = await tasksOf(session_id)
  const retry = await post(body, again)
  t.equal(retry.headers.get(replayed), 'true')
  t.equal(retry.body.result.id, lost)
  t.not(retry.body.result.id, sibling.body.result.id)
  t.equal(retry.body.result.status, 'completed')
  const third = await post(body, again)
  t.not(third.body.result.id, lost, 'claimed once')
})

t.test('cut in the middle of a stream, a retry replays it from 0', async t => {
  const session_id = 'cut-stream'
  const body = { ...echo, session_id, stream: true, ...script({ message: 'a b c d e f g h', delta_ms: 60 }) }
  const sibling = await follow(api('POST', '/tasks', body))
  await sibling.rest()
  const raw = await cut(body, text => text.includes('task.text.delta'))
  const lost = /x-task-id: (\S+)/i.exec(raw)?.[1]
  const retry = await follow(api('POST', '/tasks', body, again))
  await retry.rest()
  t.equal(retry.response.headers.get(replayed), 'true')
  t.equal(retry.response.headers.get('x-task-id'), lost)
  t.equal(retry.frames()[0]?.sequence_number, 0)
  t.equal(retry.frames().at(-1)?.type, 'task.completed')
  t.equal((await tasksOf(session_id)).length, 2)
})

t.test('work goes on when its caller leaves', async t => {
  for (const stream of [true, false]) {
    const session_id = `goes-on-${stream}`
    await cut(
      { ...echo, session_id, stream, ...script({ sleep_ms: 300 }, { message: 'x' }) },
      async () => (await tasksOf(session_id)).length === 1,
    )
    const [id] = await tasksOf(session_id)
    await until(async () => (await read(api('GET', `/tasks/${id}`))).body.result.status === 'completed')
    t.pass(`stream ${stream}`)
  }
})

t.test('on_disconnect cancel cancels it', async t => {
  for (const stream of [true, false]) {
    const session_id = `cancels-${stream}`
    const body = { ...echo, session_id, stream, on_disconnect: 'cancel', ...script({ sleep_ms: 60_000 }) }
    await cut(body, async () => (await tasksOf(session_id)).length === 1)
    const [id] = await tasksOf(session_id)
    await until(async () => (await read(api('GET', `/tasks/${id}`))).body.result.status === 'canceled')
    t.pass(`stream ${stream}`)
  }
})

t.test('on_disconnect cancel leaves a task alone whose answer arrived', async t => {
  const { body } = await post(
    { ...echo, background: true, on_disconnect: 'cancel', ...script({ sleep_ms: 300 }) },
    { connection: 'close' },
  )
  await until(
    async () => (await read(api('GET', `/tasks/${body.result.id}`))).body.result.status !== 'working',
  )
  t.equal((await read(api('GET', `/tasks/${body.result.id}`))).body.result.status, 'completed')
})

t.test('on_disconnect cancel holds as well when the caller leaves at once', async t => {
  const session_id = 'in-a-hurry'
  const body = (n: number) => ({
    ...echo,
    session_id: `${session_id}-${n}`,
    stream: n % 2 === 0,
    on_disconnect: 'cancel',
    ...script({ sleep_ms: 60_000 }),
  })
  await Promise.all(
    Array.from({ length: 24 }, async (_, n) => {
      const text = JSON.stringify(body(n))
      const { socket, closed } = await dial(url)
      socket.write(
        `POST /v1/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
      )
      await pause(n / 4)
      socket.destroy()
      await closed
    }),
  )
  const leftOver = async () => {
    const { body: working } = await read(api('GET', '/tasks?status=working&limit=100'))
    return (working.result as unknown as { session_id: string }[])
      .map(each => each.session_id)
      .filter(id => id.startsWith(session_id))
  }
  await pause(500) // the last of them have come in by then
  await until(async () => (await leftOver()).length === 0)
  t.same(await leftOver(), [])
})

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(line => line.level === 'error'),
    [],
  )
})
