// Commands on /ws: each does what its HTTP operation does, and answers the same, without the envelope.
import t from 'tap'
import { pause, read, type TaskJson, until } from '../../support/http.ts'
import { apiOf, serveHere } from '../../support/server.ts'
import { families, sampleOf } from '../exposition.ts'
import { briefly, type Heard, openSocket } from './client.ts'

t.jobs = 4
const { url, api, lines } = await serveHere(t)

const echo = { user_message_content: 'hello', stream: false, client_id: 'echo' }
const playing = (...script: object[]) => ({
  ...echo,
  client_id: 'script',
  agent_config: { agent_id: 'script', script },
})
const client_tools = [{ type: 'function', function: { name: 'ask_user', parameters: { type: 'object' } } }]
const asking = { ...playing({ tool: 'ask_user', arguments: {} }, { message: 'thanks' }), client_tools }
const sleeping = playing({ message: 'begun' }, { sleep_ms: 600_000 })

const taskOf = ({ data }: Heard) => data as unknown as TaskJson
const overHttp = async (id: string): Promise<TaskJson> => (await read(api('GET', `/tasks/${id}`))).body.result
const statusIs = (id: string, status: string) => until(async () => (await overHttp(id)).status === status)

t.test('create answers with the bare task once it rests, as GET shows it', async t => {
  const socket = await openSocket(url)
  const result = await socket.ask({ type: 'create', ...echo })
  t.same(Object.keys(result), ['type', 'request_id', 'data'])
  t.equal(result.type, 'result')
  t.same(result.data, await overHttp(taskOf(result).id))
  t.equal(taskOf(result).status, 'completed')
  await socket.cut()
})

t.test('a message is told by its type in any case, with its fields at the top or in data', async t => {
  const socket = await openSocket(url)
  const { client_id, ...rest } = echo
  for (const message of [
    { type: 'CREATE', data: echo },
    { type: 'Create', client_id, data: rest },
    { type: 'create', ...echo, data: null },
    { type: 'create', ...echo, data: { user_message_content: 'is not taken' } },
  ]) {
    const task = taskOf(await socket.ask(message))
    t.match(task, { status: 'completed', output: [{ message_content: [{ text: 'hello' }] }] })
    t.notOk(task.metadata?.ignored_fields, 'and nothing of it is ignored')
  }
  socket.say({ type: 'ping', data: { request_id: 'inside' } })
  t.same(await socket.until(({ type }) => type === 'pong'), { type: 'pong', request_id: 'inside' })
  socket.say('{"type":"ping"}')
  await socket.until(({ type, request_id }) => type === 'pong' && request_id === undefined)
  await socket.cut()
})

t.test('what the request is called is what the task is told under', async t => {
  const socket = await openSocket(url)
  const { id } = taskOf(await socket.ask({ type: 'create', request_id: 'my request', ...echo, stream: true }))
  const page = (await read(api('GET', `/tasks/${id}/events`))).body
  t.equal(page.id, 'my request')
  await socket.cut()
})

t.test('create in the background answers at once, and pause, resume, message and cancel follow', async t => {
  const socket = await openSocket(url)
  // Between any two of these steps the task can pause, however late the command comes.
  const short = Array.from({ length: 200 }, () => ({ sleep_ms: 30 }))
  const script = playing(...short, { sleep_ms: 600_000 })
  const { id } = taskOf(await socket.ask({ type: 'create', ...script, background: true }))
  t.equal(taskOf(await socket.ask({ type: 'pause', task_id: id })).id, id)
  await statusIs(id, 'paused')
  const said = await socket.ask({ type: 'message', task_id: id, content: 'hurry', idempotency_key: 'once' })
  t.equal(taskOf(said).status, 'paused')
  t.notOk(said.replayed)
  const again = await socket.ask({ type: 'message', task_id: id, content: 'hurry', idempotency_key: 'once' })
  t.equal(again.replayed, true)
  t.equal(taskOf(await socket.ask({ type: 'resume', task_id: id })).status, 'working')
  t.equal(taskOf(await socket.ask({ type: 'cancel', task_id: id })).status, 'canceled')
  t.same((await socket.ask({ type: 'cancel', task_id: id })).data, await overHttp(id), 'and again')
  await socket.cut()
})

t.test('create with stream answers at once, then all frames come, from the first to the end', async t => {
  const socket = await openSocket(url)
  const { request_id, data } = await socket.ask({ type: 'create', ...asking, stream: true })
  const id = taskOf({ data } as Heard).id
  const waiting = await socket.until(({ type }) => type === 'task.input_required')
  t.equal(
    socket.heard.findIndex(one => one.request_id === request_id),
    0,
    'the result is first',
  )
  const { task } = waiting.data as unknown as { task: TaskJson }
  const [call] = (task.metadata?.pending_inputs ?? []) as { call_id: string }[]
  const answer = { type: 'answer', task_id: id, tool_results: [{ ...call, message_content: 'blue' }] }
  t.equal(taskOf(await socket.ask(answer)).status, 'working')
  t.equal((await socket.ask(answer)).type, 'result', 'the same again')
  await socket.until(({ type }) => type === 'ended')
  const frames = (await read(api('GET', `/tasks/${id}/events?limit=1000`))).body.result as unknown as Frame[]
  t.same(
    socket.told(),
    frames.map(frame => ({
      channel: 'task',
      type: frame.type,
      data: frame,
      ...('timestamp' in frame ? { timestamp: frame.timestamp } : {}),
      id: frame.sequence_number,
    })),
    'a wait does not end them here',
  )
  const ended = { type: 'ended', channel: 'task', task_id: id, id: frames.length - 1 }
  t.same(await socket.until(({ type }) => type === 'ended'), ended)
  await socket.cut()
})
type Frame = { type: string; sequence_number: number; timestamp?: string }

t.test('a key finds what was made before, over HTTP as here', async t => {
  const socket = await openSocket(url)
  const keyed = { type: 'create', ...echo, idempotency_key: 'same' }
  const first = await socket.ask(keyed)
  t.notOk(first.replayed)
  const second = await socket.ask(keyed)
  t.same([second.replayed, second.data], [true, first.data])
  const http = await read(api('POST', '/tasks', echo, { 'idempotency-key': 'same' }))
  t.equal(http.headers.get('idempotency-replayed'), 'true')
  t.same(http.body.result, first.data)
  const streamed = await socket.ask({ ...keyed, user_message_content: 'other' })
  t.match(streamed, { type: 'error', error: { code: -32023 } })
  const script = { type: 'create', ...playing({ message: 'x' }), idempotency_key: 'streamed', stream: true }
  const one = await socket.ask(script)
  await socket.until(({ type }) => type === 'ended')
  const before = socket.told()
  const two = await socket.ask(script)
  t.equal(two.replayed, true)
  await socket.until(() => socket.heard.filter(({ type }) => type === 'ended').length === 2)
  t.same(socket.told(), [...before, ...before], 'a replay starts at the first frame')
  t.equal(taskOf(one).id, taskOf(two).id)
  await socket.cut()
})

t.test('step takes a step of a session, and a key gives the same one again', async t => {
  const { body } = await read(api('POST', '/env/create', { env_id: 'gridworld' }))
  const { session_id, tools } = body as unknown as { session_id: string; tools: Tool[] }
  const socket = await openSocket(url)
  const { name, parameters } = (tools[0] as Tool).function
  const [first = '', schema] = Object.entries(parameters.properties ?? {})[0] ?? []
  const tool_args = schema?.enum === undefined ? {} : { [first]: schema.enum[0] }
  const step = { type: 'step', session_id, tool_name: name, tool_args, idempotency_key: 's' }
  const taken = await socket.ask(step)
  t.match(taken, { type: 'result', data: { session_id, step: 1, tool_result: { type: 'tool_result' } } })
  t.match(await socket.ask(step), { data: taken.data, replayed: true })
  t.match(await socket.ask({ ...step, idempotency_key: 'next' }), { data: { step: 2 } })
  t.match(await socket.ask({ ...step, session_id: 'nowhere' }), { error: { code: -32025 } })
  await socket.cut()
})
type Tool = {
  function: { name: string; parameters: { properties?: Record<string, { enum?: string[] }> } }
}

t.test('what is wrong is told in the words of HTTP, and the connection stays', async t => {
  const socket = await openSocket(url)
  const done = taskOf(await socket.ask({ type: 'create', ...echo })).id
  const refused: [Record<string, unknown>, number, string[]?][] = [
    [{ type: 'nonsense' }, -32601],
    [{ type: '__proto__' }, -32601],
    [{}, -32602, ['body type missing']],
    [{ type: 7 }, -32602, ['body type missing']],
    [{ type: 'create', data: 'x' }, -32602, ['body data dict_type']],
    [{ type: 'create', stream: false }, -32602, ['body user_message_content missing']],
    [
      { type: 'create', ...echo, stream: 'no', task_id: '' },
      -32602,
      ['body stream bool_type', 'body task_id string_too_short'],
    ],
    [{ type: 'create', ...echo, idempotency_key: '' }, -32602, ['body idempotency_key string_too_short']],
    [{ type: 'create', ...echo, metadata: { reason: 'mine' } }, -32602, ['body metadata reason value_error']],
    [{ type: 'answer', task_id: done }, -32602, ['body tool_results missing']],
    [{ type: 'answer', task_id: done, tool_results: [] }, -32602, ['body tool_results too_short']],
    [{ type: 'message', task_id: done, content: '' }, -32602, ['body content too_short']],
    [{ type: 'message', task_id: done, content: 'x' }, -32020],
    [{ type: 'cancel' }, -32602, ['body task_id missing']],
    [{ type: 'cancel', task_id: 'unknown' }, -32001],
    [{ type: 'pause', task_id: '' }, -32001],
    [{ type: 'cancel', task_id: done }, -32002],
    [{ type: 'resume', task_id: done }, -32020],
    [{ type: 'step', session_id: 's' }, -32602, ['body tool_name missing']],
    [{ type: 'auth', token: 'x' }, -32602, ['body type value_error']],
  ]
  for (const [message, code, problems] of refused) {
    const answer = await socket.ask(message)
    t.same([answer.type, answer.error?.code], ['error', code], JSON.stringify(message))
    if (problems !== undefined) t.same(briefly(answer), problems)
    t.type(answer.error?.message, 'string')
  }
  const before = socket.heard.length
  for (const text of ['', '{', '[]', '"x"', 'null', '{"type":"ping","request_id":7}', `${'['.repeat(65)}`])
    socket.say(text)
  socket.ws.send(Buffer.from('{"type":"ping"}'))
  await until(() => socket.heard.length === before + 8)
  t.same(
    socket.heard.slice(before).map(one => [one.type, one.request_id, ...briefly(one)]),
    [
      ['error', undefined, 'body 0 json_invalid'],
      ['error', undefined, 'body 1 json_invalid'],
      ['error', undefined, 'body dict_type'],
      ['error', undefined, 'body dict_type'],
      ['error', undefined, 'body dict_type'],
      ['error', '7', 'body request_id string_type'],
      ['error', undefined, 'body json_too_deep'],
      ['error', undefined, 'body json_invalid'],
    ],
  )
  t.equal((await socket.ask({ type: 'ping' })).type, 'pong')
  t.same(lines, [])
  await socket.cut()
})

t.test("another user's task is not there, and a token speaks for its own user", async t => {
  const made = await read(api('POST', '/auth/tokens', { role: 'user', user_id: 'ann' }))
  const { token } = made.body as unknown as { token: string }
  const socket = await openSocket(url, { token })
  t.equal(taskOf(await socket.ask({ type: 'create', ...echo })).user_id, 'ann')
  t.match(await socket.ask({ type: 'create', ...echo, user_id: 'bob' }), { error: { code: -32031 } })
  const { id } = (await read(api('POST', '/tasks', { ...sleeping, background: true }))).body.result
  for (const type of ['cancel', 'pause', 'resume']) {
    t.match(await socket.ask({ type, task_id: id }), { error: { code: -32001 } })
  }
  t.match(await socket.ask({ type: 'message', task_id: id, content: 'x' }), { error: { code: -32001 } })
  t.equal(socket.end(), undefined)
  t.equal((await overHttp(id)).status, 'working')
  await read(api('POST', `/tasks/${id}/cancel`))
  await socket.cut()
})

t.test('many commands run at once, and answers come as they are ready', async t => {
  const socket = await openSocket(url)
  const slow = socket.ask({ type: 'create', ...sleeping, task_id: 'slow-one' })
  const tasks = await Promise.all(Array.from({ length: 150 }, () => socket.ask({ type: 'create', ...echo })))
  t.equal(new Set(tasks.map(task => taskOf(task).id)).size, 150)
  t.equal(taskOf(await socket.ask({ type: 'cancel', task_id: 'slow-one' })).status, 'canceled')
  t.equal(taskOf(await slow).status, 'canceled')
  await socket.cut()
})

t.test('commands that wait for their tasks keep nobody from being heard, up to a limit', async t => {
  const socket = await openSocket(url)
  for (let n = 0; n < 257; n++)
    socket.say({
      type: 'create',
      ...asking,
      ...playing({ sleep_ms: 600_000 }),
      session_id: 'line',
      request_id: `${n}`,
    })
  t.match(await socket.until(({ type }) => type === 'error'), {
    request_id: '256',
    error: { code: -32027, data: { quota: 'waiting_creates', limit: 256 } },
  })
  const metrics = families(await (await fetch(`${url}/metrics`)).text())
  t.equal(sampleOf(metrics, 'reprise_quota_refusals_total', { quota: 'waiting_creates' }), 1)
  t.equal((await socket.ask({ type: 'ping' })).type, 'pong')
  const listed = (await read(api('GET', '/tasks?session_id=line&limit=100&status=working'))).body
  const [working] = listed.result as unknown as TaskJson[]
  t.equal(taskOf(await socket.ask({ type: 'cancel', task_id: working?.id })).status, 'canceled')
  await socket.cut()
})

t.test('a create that is to be canceled with its caller is, and no other', async t => {
  const socket = await openSocket(url)
  const cancels = { type: 'create', ...sleeping, on_disconnect: 'cancel' }
  socket.say({ ...cancels, task_id: 'waited-for' })
  await socket.ask({ ...cancels, task_id: 'followed', stream: true })
  await socket.ask({ ...cancels, task_id: 'left-alone', background: true })
  socket.say({ type: 'create', ...sleeping, task_id: 'goes-on' })
  for (const id of ['waited-for', 'followed', 'left-alone', 'goes-on'])
    await statusIs(id, 'working').catch(() => {})
  socket.ws.terminate()
  await statusIs('waited-for', 'canceled')
  await statusIs('followed', 'canceled')
  await pause(50)
  t.equal((await overHttp('left-alone')).status, 'working')
  t.equal((await overHttp('goes-on')).status, 'working')
  for (const id of ['left-alone', 'goes-on']) await read(api('POST', `/tasks/${id}/cancel`))
})

t.test('a connection that the server ends is no disconnect', async t => {
  const made = (await read(api('POST', '/auth/tokens', { role: 'user' }))).body as unknown as {
    id: string
    token: string
  }
  const socket = await openSocket(url, { token: made.token })
  await socket.ask({ type: 'create', ...sleeping, on_disconnect: 'cancel', stream: true, task_id: 'kept' })
  await read(api('DELETE', `/auth/tokens/${made.id}`))
  // The server also ends the connection by itself within a second. Then the error answers no message.
  socket.say({ type: 'ping' })
  const { error } = await socket.until(heard => heard.error !== undefined)
  t.equal(error?.code, -32030)
  t.equal((await socket.closed).code, 4001)
  await pause(50)
  t.equal((await overHttp('kept')).status, 'working')
  t.equal((await apiOf(url)('POST', '/tasks/kept/cancel')).status, 200)
})
