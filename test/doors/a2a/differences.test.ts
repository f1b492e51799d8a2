// The differences to the specification of A2A that docs/doors.md lists, as far as other tests do not meet them.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { createTaskTeller } from '../../../src/doors/a2a/teller.ts'
import { until } from '../../support/http.ts'
import { adminToken, serveHere } from '../../support/server.ts'
import { receiver, status } from '../../webhooks/receiver.ts'
import { hostile } from './hostile.ts'

const agents = {
  'asks.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => 'It is ' + (await ctx.ask('ask_user', {})))
`,
  'asks_two.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  const [a, b] = await Promise.all([ctx.ask('first', {}), ctx.ask('second', {})])
  return a + ' ' + b
})
`,
  'hears.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => (await ctx.message()).text + ' ' + (await ctx.ask('ask_user', {})))
`,
  'tasks.mjs': `import { agent } from 'reprise/agent'
export default agent(async () => 'done')
`,
  'json.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => ({ colour: 'blue' }))
`,
}
const env = { AGENT_PATH: t.testdir(agents), ENV_UID_BASE: '0', ALLOW_PRIVATE_URLS: '1' }
const { api, url, lines } = await serveHere(t, env)

type Fields = Record<string, unknown>
type Task = {
  id: string
  contextId: string
  status: { state: string; message?: Fields }
  artifacts: Fields[]
}
const send = async (method: string, where: string, body?: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}/a2a${where}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const value = text.startsWith('{') ? (JSON.parse(text) as Fields) : {}
  return { status: response.status, headers: response.headers, text, value, task: value.task as Task }
}
const message = (more: object = {}, text = 'Hello') => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }], ...more },
})

t.test('versions: none is 1.0, a patch does not matter, another one is refused', async t => {
  const ask = (headers: Record<string, string>, query = '') =>
    send('POST', `/echo/message:send${query}`, message(), headers)
  for (const headers of [{}, { 'a2a-version': '' }, { 'a2a-version': '1.0' }, { 'a2a-version': '1.0.1' }])
    t.equal((await ask(headers)).status, 200, JSON.stringify(headers))
  t.equal((await ask({}, '?A2A-Version=1.0')).status, 200)
  for (const version of ['0.3', '2.0', '1', 'x'])
    t.match(await ask({ 'a2a-version': version }), { status: 400, text: /VERSION_NOT_SUPPORTED/ }, version)
  t.match(await ask({}, '?A2A-Version=0.3'), { status: 400, text: /VERSION_NOT_SUPPORTED/ })
})

t.test('names: fields in snake case, methods of 0.3', async t => {
  const body = {
    message: { message_id: 'm', role: 'ROLE_USER', parts: [{ text: 'Hello' }], context_id: 'mine' },
    configuration: { history_length: 0 },
    metadata: { snake_key: { inner_key: 1 } },
  }
  const { task } = await send('POST', '/echo/message:send', body)
  t.match(task, { contextId: 'mine', metadata: { snake_key: { inner_key: 1 } } })
  t.notOk('history' in task)
  const old = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: task.id, history_length: 1 } }
  t.match((await send('POST', '/echo', old)).value, { id: 1, result: { id: task.id } })
})

t.test('a message that makes a task is recognized by Idempotency-Key alone', async t => {
  const ask = async (headers = {}) => (await send('POST', '/echo/message:send', message(), headers)).task.id
  const key = { 'idempotency-key': 'mine' }
  t.not(await ask(), await ask())
  t.equal(await ask(key), await ask(key))
  const pushed = {
    ...message(),
    configuration: { taskPushNotificationConfig: { url: 'http://127.0.0.1:9/' } },
  }
  const other = { 'idempotency-key': 'other' }
  const one = (await send('POST', '/echo/message:send', pushed, other)).task.id
  t.equal((await send('POST', '/echo/message:send', pushed, other)).task.id, one, 'also with a configuration')
})

/** Answers a task, or says something to it while it works. */
const reply = async (agent: string, taskId: string, messageId: string, parts: Fields[]) => {
  const said = { message: { messageId, taskId, role: 'ROLE_USER', parts } }
  return send('POST', `/${agent}/message:send`, said)
}
const callsOf = ({ status }: Task): string[] =>
  ((status.message?.parts ?? []) as { metadata?: { call_id: string } }[]).flatMap(
    ({ metadata }) => metadata?.call_id ?? [],
  )

t.test(
  'a message for a task that works is taken once, also when the task asks something meanwhile',
  async t => {
    const configuration = { returnImmediately: true }
    const { task } = await send('POST', '/hears/message:send', { ...message(), configuration })
    const said = () => reply('hears', task.id, 'said', [{ text: 'hello' }])
    t.match((await said()).task, { status: { state: 'TASK_STATE_INPUT_REQUIRED' } })
    t.match((await said()).task, { status: { state: 'TASK_STATE_INPUT_REQUIRED' } }, 'it is no answer')
    const { task: done } = await reply('hears', task.id, 'answer', [{ text: 'blue' }])
    t.match(done.artifacts, [{ parts: [{ text: 'hello blue' }] }])
  },
)

t.test('answers to several calls in one message are taken once', async t => {
  const { task } = await send('POST', '/asks_two/message:send', message())
  const parts = callsOf(task).map((call_id, n) => ({ text: `${n}`, metadata: { call_id } }))
  const answered = () => reply('asks_two', task.id, 'both', parts)
  const first = await answered()
  t.match(first.task.artifacts, [{ parts: [{ text: '0 1' }] }])
  t.same((await answered()).value, first.value, 'also after the end')
  const [one] = parts
  const other = await reply('asks_two', task.id, 'other', [{ ...one, text: 'another' }])
  t.match(other, { status: 400, text: /different answer/ })
})

const webhooks = async () =>
  ((await (await api('GET', '/webhooks')).json()) as { data: { id: string; task_id: string }[] }).data
const pushed = (config: Fields = {}) => ({
  configuration: { taskPushNotificationConfig: { url: 'http://127.0.0.1:9/', ...config } },
})

t.test('the configuration of a first message is made with its task, once', async t => {
  const before = (await webhooks()).length
  const wrong = await send('POST', '/asks/message:send', {
    ...message({ contextId: 'a b', messageId: 'wrong' }),
    ...pushed(),
  })
  t.equal(wrong.status, 400)
  t.equal(
    (await send('POST', '/asks/message:send', { ...message(), ...pushed({ token: 'a\nb' }) })).status,
    400,
  )
  const key = { 'idempotency-key': 'pushed' }
  const ask = (text: string) =>
    send('POST', '/asks/message:send', { ...message({}, text), ...pushed({ token: 'hush' }) }, key)
  const { task } = await ask('Hello')
  t.equal((await ask('Hello')).task.id, task.id)
  t.equal((await ask('another')).status, 409)
  const made = (await webhooks()).filter(({ task_id }) => task_id === task.id)
  t.match(made, [{ id: `wht_${task.id}` }])
  t.equal((await webhooks()).length, before + 1, 'refused messages leave none')
  const configs = () => send('GET', `/asks/tasks/${task.id}/pushNotificationConfigs`)
  const [config] = (await configs()).value.configs as { id: string }[]
  const where = `/asks/tasks/${task.id}/pushNotificationConfigs/${config?.id}`
  t.equal((await send('DELETE', where)).status, 200)
  t.same((await configs()).value.configs, [])
})

t.test('a configuration of a refused message is not kept', async t => {
  const { task } = await send('POST', '/asks/message:send', message())
  const part = { text: 'x', metadata: { call_id: 'none' } }
  const wrong = { message: { messageId: 'w', taskId: task.id, role: 'ROLE_USER', parts: [part] } }
  t.equal((await send('POST', '/asks/message:send', { ...wrong, ...pushed() })).status, 400)
  t.same((await send('GET', `/asks/tasks/${task.id}/pushNotificationConfigs`)).value.configs, [])
  t.notOk((await webhooks()).some(({ task_id }) => task_id === task.id))
})

t.test('a configuration for a task that has ended is told its end, and ends then', async t => {
  const { task } = await send('POST', '/echo/message:send', message())
  const heard = await receiver(t, [status(500)])
  const config = { id: 'late', url: heard.url }
  const where = `/echo/tasks/${task.id}/pushNotificationConfigs`
  t.match((await send('POST', where, config)).value, { ...config, taskId: task.id })
  await heard.until(({ length }) => length === 1)
  t.match((await send('GET', `${where}/late`)).value, config, 'it stays until its receiver has taken the end')
  t.equal((await send('POST', where, config)).status, 200, 'the same again is told at once')
  await until(async () => !(await webhooks()).some(({ task_id }) => task_id === task.id))
  t.match(
    heard.received.map(({ body }) => JSON.parse(body)),
    Array(2).fill({ statusUpdate: { taskId: task.id, status: { state: 'TASK_STATE_COMPLETED' } } }),
  )
})

t.test('an agent with the name of a path has JSON-RPC alone, by its tenant', async t => {
  const { value } = await send('GET', '/tasks/.well-known/agent-card.json')
  t.match(value.supportedInterfaces, [{ protocolBinding: 'JSONRPC', url: `${url}/a2a`, tenant: 'tasks' }])
  t.equal((value.supportedInterfaces as unknown[]).length, 1)
  const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { ...message(), tenant: 'tasks' } }
  t.match((await send('POST', '', body)).text, /TASK_STATE_COMPLETED/)
})

// With a time that grows with the square of the number, it takes minutes.
t.test('an answer may have very many parts', { timeout: 20_000 }, async t => {
  const { task } = await send('POST', '/asks/message:send', message())
  const parts = Array.from({ length: 45_000 }, () => ({ text: 'x' }))
  const { task: done } = await reply('asks', task.id, 'many', parts)
  t.match(done.status, { state: 'TASK_STATE_COMPLETED' })
})

t.test('paused and expired tasks are told in the words of A2A', async t => {
  const { task } = await send('POST', '/asks/message:send', message())
  const created = { task_id: 'x', session_id: 's', input_ids: [], request: { user_message_content: '' } }
  const teller = createTaskTeller(created as never)
  const tell = (type: string, status: string, metadata = {}) =>
    teller.tell({
      type,
      task_id: 'x',
      sequence_number: 1,
      timestamp: '2026-01-01T00:00:00.000Z',
      task: { id: 'x', session_id: 's', status, metadata },
    } as never)
  t.match(tell('task.paused', 'paused', { reason: 'budget' }), [
    {
      statusUpdate: {
        status: {
          state: 'TASK_STATE_WORKING',
          message: { parts: [{ text: 'The task is paused: budget.' }] },
        },
      },
    },
  ])
  t.match(tell('task.expired', 'expired'), [
    {
      statusUpdate: {
        status: { state: 'TASK_STATE_FAILED', message: { parts: [{ text: 'The task has expired.' }] } },
      },
    },
  ])
  for (const state of ['TASK_STATE_REJECTED', 'TASK_STATE_AUTH_REQUIRED'])
    t.match((await send('GET', `/asks/tasks?status=${state}`)).value, { tasks: [], totalSize: 0 })
  t.match((await send('GET', `/echo/tasks/${task.id}`)).status, 404, 'a task of another agent')
  t.match((await send('GET', `/tasks/${task.id}?tenant=asks`)).status, 200, 'tenant names the agent')
})

t.test('a client that takes only JSON gets data', async t => {
  const configuration = { acceptedOutputModes: ['application/json'] }
  const { task } = await send('POST', '/json/message:send', { ...message(), configuration })
  t.match(task.artifacts, [{ parts: [{ data: { colour: 'blue' }, mediaType: 'application/json' }] }])
})

t.test('parts: files reach the agent and come back, others are refused', async t => {
  const parts = [
    { raw: 'iVBORw0KGgo=', mediaType: 'image/png', filename: 'a.png' },
    { url: 'https://example.com/a.pdf', mediaType: 'application/pdf', filename: 'a.pdf' },
    { data: { a: [1, 'exact'] } },
    { text: 'x', metadata: { mine: 1 } },
  ]
  const { task } = await send(
    'POST',
    '/echo/message:send',
    JSON.stringify(message({ parts })).replace('"exact"', '1e400'),
  )
  t.match(task, {
    status: { state: 'TASK_STATE_COMPLETED' },
    history: [{ parts: [{ raw: 'iVBORw0KGgo=' }, { url: 'https://example.com/a.pdf' }] }],
  })
  t.match(JSON.stringify(task.artifacts), '1e400', 'numbers stay exact')
  const refused = (part: object) => send('POST', '/echo/message:send', message({ parts: [part] }))
  t.match(await refused({ raw: 'AA==', mediaType: 'application/x-odd' }), {
    status: 400,
    text: /CONTENT_TYPE_NOT_SUPPORTED/,
  })
  for (const part of [{}, { text: 'a', url: 'b' }, { raw: '!' }]) t.equal((await refused(part)).status, 400)
})

t.test('streams: one that waits closes, a subscription stays, and both go on after an event', async t => {
  const { text } = await send('POST', '/asks/message:stream', message())
  t.match(text, /TASK_STATE_INPUT_REQUIRED/)
  const [, id = ''] = /"id":"(task_[^"]+)"/.exec(text) ?? []
  const subscription = send('GET', `/asks/tasks/${id}:subscribe`)
  await send('POST', '/asks/message:send', message({ taskId: id, messageId: 'answer' }, 'blue'))
  const whole = (await subscription).text
  t.match(whole, /TASK_STATE_COMPLETED/)
  const events = whole.split('\n\n').filter(event => /^id: /m.test(event))
  const [, last = ''] = /^id: (\d+)$/m.exec(events.at(-2) ?? '') ?? []
  const rest = await send('GET', `/asks/tasks/${id}:subscribe`, undefined, { 'last-event-id': last })
  t.equal(rest.text.split('\n\n').filter(event => /^id: /m.test(event)).length, 1)
  t.match(rest.text, events.at(-1)?.trim() ?? 'none', 'the rest alone')
  t.equal((await send('GET', `/asks/tasks/${id}:subscribe`)).status, 400)
})

t.test('lists: newest first, and those whose status changed since', async t => {
  const before = new Date().toISOString()
  const made = [(await send('POST', '/json/message:send', message())).task.id]
  made.push((await send('POST', '/json/message:send', message())).task.id)
  const since = await send('GET', `/json/tasks?statusTimestampAfter=${before}`)
  t.same(
    (since.value.tasks as Task[]).map(({ id }) => id),
    made.toReversed(),
  )
  t.ok(Number(since.value.totalSize) > 2, 'totalSize counts the others, too')
  t.equal((await send('GET', '/json/tasks?statusTimestampAfter=never')).status, 400)
  t.equal((await send('GET', '/json/tasks?pageToken=none')).status, 400)
})

t.test('approvals are asked for and decided', async t => {
  const script = [{ tool: 'calculator', arguments: { expression: '1+1' } }, { message: 'It is $result' }]
  const body = {
    user_message_content: 'go',
    stream: false,
    agent_config: { agent_id: 'script', approve: ['calculator'], script },
  }
  const { result } = (await (await api('POST', '/tasks', body)).json()) as { result: { id: string } }
  const { value } = await send('GET', `/script/tasks/${result.id}`)
  const { message: question } = (value as unknown as Task).status
  const { data } = ((question?.parts ?? []) as { data: Fields }[])[1] ?? { data: {} }
  t.match(data, { name: 'calculator', approval: true })
  const part = { text: 'yes', metadata: { call_id: data.call_id, decision: 'approve' } }
  const { task } = await send('POST', '/script/message:send', message({ taskId: result.id, parts: [part] }))
  t.match(task.artifacts, [{ parts: [{ text: 'It is 2' }] }])
})

t.test('content types, cards and errors of the whole request', async t => {
  const known = { accept: 'application/a2a+json' }
  t.match((await send('GET', '/echo/tasks', undefined, known)).headers.get('content-type'), /a2a\+json/)
  t.match((await send('GET', '/echo/tasks')).headers.get('content-type'), /^application\/json/)
  const own = { 'content-type': 'application/a2a+json' }
  t.equal((await send('POST', '/echo/message:send', message(), own)).status, 200)
  t.equal((await api('POST', '/tasks', {}, own)).status, 415, 'it is of A2A alone')
  const plain = await send('POST', '/echo', '{}', { 'content-type': 'text/plain' })
  t.match(plain, { status: 415, value: { jsonrpc: '2.0', id: null, error: { code: -32005 } } })
  const { headers } = await fetch(`${url}/.well-known/agent-card.json`)
  const etag = headers.get('etag') ?? ''
  t.match(headers.get('cache-control'), /max-age/)
  const same = await fetch(`${url}/.well-known/agent-card.json`, { headers: { 'if-none-match': etag } })
  t.equal(same.status, 304)
  t.match((await send('GET', '/extendedAgentCard')).text, /UNSUPPORTED_OPERATION/)
  const strict = await send(
    'POST',
    '/echo',
    { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x', nme: 1 } },
    { prefer: 'handling=strict' },
  )
  t.match(strict.value, { error: { code: -32602, message: /nme/ } })
  t.equal(strict.headers.get('x-ignored-fields'), 'nme')
})

t.test('the program of docs/a2a.md runs', async t => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/a2a.md'), 'utf8')
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
  const folder = t.testdir({ 'program.ts': program })
  const child = spawn(process.execPath, ['--no-warnings', path.join(folder, 'program.ts')], {
    env: { PATH: process.env.PATH, URL: url, TOKEN: adminToken },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', piece => (printed += piece))
  await new Promise(resolve => child.once('close', resolve))
  t.match(printed, /"value":"Hello"/)
})

t.test('200 hostile messages are answered, and none of them with a 5xx', t => hostile(t, { url, lines }, 200))

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
