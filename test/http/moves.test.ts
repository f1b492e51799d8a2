// Get, delete, cancel, pause and resume: in every state, with the right shape.
import t from 'tap'
import { exchange, idsOf, read, type TaskJson, until } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'

const { api, url, lines } = await serveHere(t)

let sessions = 0
/** A new task in a state, alone in its session unless that is what the state is made of. */
const given: Record<string, () => Promise<string>> = {
  async working() {
    const id = await create([{ message: 'so far' }, { sleep_ms: 600_000 }])
    await until(async () => (await get(id)).body.result.output.length === 1)
    return id
  },
  paused: () => create([{ message: 'so far' }, { pause: 'look' }, { message: 'on' }], false),
  completed: () => create([{ message: 'x' }], false),
  failed: () => create([{ fail: { code: -32000, message: 'no' } }], false),
  async canceled() {
    const id = await create([{ sleep_ms: 600_000 }])
    await read(api('POST', `/tasks/${id}/cancel`))
    return id
  },
  async queued() {
    const session_id = `full-${++sessions}`
    await create([{ sleep_ms: 600_000 }], true, session_id)
    return create([{ message: 'x' }], true, session_id)
  },
}
const create = async (script: object[], background = true, session_id?: string) => {
  const agent_config = { agent_id: 'script', script }
  const { body } = await read(
    api('POST', '/tasks', { user_message_content: 'x', stream: false, background, agent_config, session_id }),
  )
  return body.result.id
}
const act = (verb: string, id: string, sent?: unknown, headers = {}) =>
  read(api('POST', `/tasks/${id}/${verb}`, sent, headers))
const get = (id: string) => read(api('GET', `/tasks/${id}`))
const statusOf = async (id: string) => (await get(id)).body.result.status

type Expected = [http: number, statusOrCode: string | number]
/** The answer of each verb in each state: 200 and the status of the task in it, or a refusal and its code. */
const expected: Record<string, Record<string, Expected>> = {
  working: { cancel: [200, 'canceled'], pause: [200, 'working'], resume: [200, 'working'] },
  queued: { cancel: [200, 'canceled'], pause: [400, -32020], resume: [200, 'queued'] },
  paused: { cancel: [200, 'canceled'], pause: [400, -32020], resume: [200, 'working'] },
  completed: { cancel: [400, -32002], pause: [400, -32020], resume: [400, -32020] },
  failed: { cancel: [400, -32002], pause: [400, -32020], resume: [400, -32020] },
  canceled: { cancel: [200, 'canceled'], pause: [400, -32020], resume: [400, -32020] },
}

for (const [state, verbs] of Object.entries(expected)) {
  for (const [verb, [http, outcome]] of Object.entries(verbs)) {
    t.test(`${verb} of a task that is ${state} answers ${http} ${outcome}`, async t => {
      const id = await (given[state] as () => Promise<string>)()
      const before = await get(id)
      t.equal(before.body.result.status, state)
      const { status, body, headers } = await act(verb, id)
      t.equal(status, http)
      t.match(headers.get('content-type'), 'application/json')
      if (http === 200) {
        t.match(body, { object: 'task', id, status: outcome }, 'the bare task')
        t.notOk('jsonrpc' in body)
        if (outcome === state) t.same(body, before.body.result, 'unchanged')
      } else {
        t.match(
          body,
          {
            code: outcome,
            message: new RegExp(`^${verb} needs a task that is .+; this task is ${state}$`),
            data: { status: state, operation: verb, states: Array },
          },
          'the bare error, which names the operation and its states',
        )
        t.notOk('jsonrpc' in body || 'error' in body)
        t.same((await get(id)).body.result, before.body.result, 'the task is as it was')
      }
    })
  }

  t.test(`a task that is ${state} can be deleted and is gone`, async t => {
    const id = await (given[state] as () => Promise<string>)()
    const { status, body, headers } = await read(
      api('DELETE', `/tasks/${id}`, undefined, { 'x-request-id': `del-${state}` }),
    )
    t.equal(status, 200)
    t.equal(headers.get('x-request-id'), `del-${state}`)
    t.same(Object.keys(body).sort(), ['id', 'jsonrpc', 'result'])
    const ended = ['completed', 'failed', 'canceled'].includes(state)
    t.match(body, { jsonrpc: '2.0', id: `del-${state}`, result: { id, status: ended ? state : 'canceled' } })
    t.match(await get(id), { status: 404, body: { error: { code: -32001 } } })
    for (const verb of ['cancel', 'pause', 'resume'])
      t.match(await act(verb, id), { status: 404, body: { code: -32001 } }, verb)
    t.match(await read(api('DELETE', `/tasks/${id}`)), { status: 404, body: { code: -32001 } })
    t.notOk(idsOf(await read(api('GET', '/tasks?limit=100'))).includes(id))
  })
}

t.test('what is not there is a 404: an envelope for get, the bare error for the others', async t => {
  const got = await get('nothing')
  t.equal(got.status, 404)
  t.same(Object.keys(got.body).sort(), ['error', 'id', 'jsonrpc'])
  t.equal(got.body.error.code, -32001)
  const others = [
    ['DELETE', '/tasks/nothing'],
    ...['cancel', 'pause', 'resume'].map(verb => ['POST', `/tasks/nothing/${verb}`]),
  ] as [string, string][]
  for (const [method, path] of others) {
    const { status, body } = await read(api(method, path))
    t.equal(status, 404, path)
    t.same(Object.keys(body).sort(), ['code', 'data', 'message'])
    t.match(body, { code: -32001, message: /./, data: { hint: /./, docs: /#error-TaskNotFound$/ } })
  }
})

t.test('a pause is kept until the next safe point, and a resume goes on there', async t => {
  const id = await create([{ message: 'one' }, { sleep_ms: 300 }, { message: 'two' }])
  const { body } = await act('pause', id)
  t.match(body, { status: 'working' })
  t.match(await act('pause', id), { status: 200 }, 'again is no harm')
  await until(async () => (await statusOf(id)) === 'paused')
  const paused = (await get(id)).body.result
  t.match(paused.metadata, { reason: /./, expires_at: Number })
  t.equal(paused.output.length, 1)
  t.match(await act('resume', id), { status: 200, body: { status: 'working' } })
  await until(async () => (await statusOf(id)) === 'completed')
  const done = (await get(id)).body.result
  t.equal(done.output.length, 2)
  t.notOk(done.metadata?.reason)
})

t.test('the reason of a script is the reason of the pause', async t => {
  const id = await (given.paused as () => Promise<string>)()
  t.match((await get(id)).body.result, { metadata: { reason: 'look' }, output: [{ status: 'completed' }] })
})

t.test('a blocking create answers a pause', async t => {
  const agent_config = { agent_id: 'script', script: [{ pause: 'look' }] }
  const { status, body } = await read(
    api('POST', '/tasks', { user_message_content: 'x', stream: false, agent_config }),
  )
  t.match({ status, body }, { status: 200, body: { result: { status: 'paused' } } })
})

t.test('many cancels at once are one cancel', async t => {
  const id = await create([{ sleep_ms: 600_000 }])
  const answers = await Promise.all(Array.from({ length: 20 }, () => act('cancel', id)))
  t.ok(answers.every(({ status }) => status === 200))
  t.equal(new Set(answers.map(({ text }) => text)).size, 1)
  const { body } = await read(api('GET', `/tasks/${id}/events`))
  const types = (body.result as unknown as { type: string }[]).map(({ type }) => type)
  t.equal(types.filter(type => type === 'task.canceled').length, 1)
  t.equal(types.at(-1), 'task.canceled')
})

t.test('a cancel that races the end is either, and both sides agree', async t => {
  const outcomes = new Set<string>()
  await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const id = await create([{ sleep_ms: n % 20 }])
      await new Promise(resolve => setTimeout(resolve, n % 13))
      const { status, body } = await act('cancel', id)
      const now = await statusOf(id)
      outcomes.add(
        `${status} ${status === 200 ? (body as unknown as TaskJson).status : (body as { code?: number }).code} ${now}`,
      )
    }),
  )
  for (const outcome of outcomes) t.match(outcome, /^(200 canceled canceled|400 -32002 completed)$/)
})

t.test('deletes and cancels that race each other leave no error behind', async t => {
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const id = await create([{ sleep_ms: 600_000 }])
      const calls = [
        act('cancel', id),
        read(api('DELETE', `/tasks/${id}`)),
        read(api('DELETE', `/tasks/${id}`)),
        act('pause', id),
      ]
      for (const { status } of await Promise.all(calls))
        if (![200, 400, 404].includes(status)) t.fail(`${status}`)
      if ((await get(id)).status !== 404) t.fail('still there')
    }),
  )
  t.pass()
})

t.test('a waiting create is answered when somebody cancels or deletes its task', async t => {
  for (const method of ['cancel', 'delete']) {
    const task_id = `waited-for-${method}`
    const agent_config = { agent_id: 'script', script: [{ sleep_ms: 600_000 }] }
    const waiting = read(
      api('POST', '/tasks', { user_message_content: 'x', stream: false, agent_config, task_id }),
    )
    await until(async () => (await get(task_id)).status === 200)
    await (method === 'cancel' ? act('cancel', task_id) : read(api('DELETE', `/tasks/${task_id}`)))
    t.match(await waiting, { status: 200, body: { result: { status: 'canceled' } } }, method)
  }
})

t.test('"no body" is no body, an empty one, or any JSON that nobody reads', async t => {
  const sent: [unknown, Record<string, string>][] = [
    [undefined, {}],
    [undefined, { 'content-type': 'application/json' }],
    ['', { 'content-type': 'application/json' }],
    ['{}', {}],
    ['null', {}],
    ['[]', {}],
    ['"x"', {}],
    ['{"reason": "changed my mind"}', { 'content-type': 'application/json; charset=utf-8' }],
  ]
  for (const [body, headers] of sent) {
    const id = await create([{ sleep_ms: 600_000 }])
    for (const verb of ['resume', 'pause', 'cancel']) {
      const { status } = await act(verb, id, body, headers)
      t.equal(status, 200, `${verb} with ${body} ${JSON.stringify(headers)}`)
    }
    t.equal((await read(api('DELETE', `/tasks/${id}`, body, headers))).status, 200)
  }
  const head = [`Host: x`, `Authorization: Bearer ${adminToken}`, 'Connection: close'].join('\r\n')
  for (const more of [
    'Content-Length: 0',
    'Content-Type: application/json\r\nTransfer-Encoding: chunked',
    '',
  ]) {
    const id = await create([{ sleep_ms: 600_000 }])
    const end = more.includes('chunked') ? '0\r\n\r\n' : ''
    const { status } = await exchange(
      url,
      `POST /v1/tasks/${id}/cancel HTTP/1.1\r\n${head}\r\n${more === '' ? '' : `${more}\r\n`}\r\n${end}`,
    )
    t.equal(status, 200, more)
  }
})

t.test('the operator was told of no error, and the server is well', async t => {
  t.same(
    lines.filter(line => line.level === 'error'),
    [],
  )
  t.equal((await api('GET', '/tasks')).status, 200)
})
