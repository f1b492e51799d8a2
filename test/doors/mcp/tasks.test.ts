// Calls that become tasks, and questions of tasks.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { adminToken, serveHere } from '../../support/server.ts'
import { suiteAgents } from './clients.ts'
import { becomes, forms, messagesTo, olderMessagesTo, tasks } from './messages.ts'

const AGENT_PATH = suiteAgents(
  t,
  ...['multi_input', 'greet', 'failing_job', 'slow_compute'],
  ...['test_input_required_result_multi_round', 'test_input_required_result_elicitation'],
)
writeFileSync(
  path.join(AGENT_PATH, 'namesakes.mjs'),
  `import { agent } from 'reprise/agent'
const schema = { type: 'object', properties: { name: { type: 'string' } } }
const parameters = { type: 'object' }
export default agent(async ctx => {
  const names = await Promise.all(['who', 'who-2', 'who'].map(name => ctx.ask(name, {}, { schema })))
  return names.map(({ name }) => name ?? 'nobody').join()
}, { parameters })`,
)
const { url, api } = await serveHere(t, { AGENT_PATH, MCP_TASK_AFTER_MS: '300' })
const send = messagesTo(url)
const call = (name: string, args: object = {}) =>
  send('tools/call', { name: `agent_${name}`, arguments: args })
/** A call of a client without tasks, which waits for the end. */
const wait = (name: string, more: object = {}, capabilities: object = forms) =>
  messagesTo(url, { capabilities })('tools/call', { name: `agent_${name}`, arguments: {}, ...more })
await send('tools/list') // from here on the agents are loaded
const named = (name: string) => ({ action: 'accept', content: { name } })
const statusOf = async (id: unknown) =>
  ((await (await api('GET', `/tasks/${id}`)).json()) as { result: { status: string } }).result.status

t.test('a call that takes long becomes a task, which answers one question after the other', async t => {
  const { result, headers } = await call('multi_input')
  const taskId = result?.taskId
  t.match(result, { resultType: 'task', status: 'working', ttlMs: null, pollIntervalMs: 1000 })
  t.equal(headers.get('x-task-id'), taskId)
  const asked = await becomes(send, taskId, 'input_required')
  t.match(asked.inputRequests, {
    first: {
      method: 'elicitation/create',
      params: { message: 'Who is first?', requestedSchema: { required: ['name'] } },
    },
    second: {},
  })
  const update = (inputResponses: object) => send('tasks/update', { taskId, inputResponses })
  t.match(await update({ first: named('Ada'), nobody: named('x'), second: 7 }), {
    result: { resultType: 'complete' },
  })
  const { result: half } = await send('tasks/get', { taskId })
  t.same([half?.status, Object.keys(half?.inputRequests ?? {})], ['input_required', ['second']])
  await update({ second: named('Bob') })
  await update({ second: named('Cem') })
  t.match((await becomes(send, taskId, 'completed')).result, { content: [{ text: 'Ada, then Bob.' }] })
})

t.test('each question has a key of its own, which means it also when others have answers', async t => {
  const first = (await wait('namesakes')).result
  t.same(Object.keys(first?.inputRequests ?? {}), ['who', 'who-2', 'who-3'])
  const { requestState } = first ?? {}
  const inputResponses = { 'who-2': named('B'), 'who-3': named('C') }
  const second = (await wait('namesakes', { requestState, inputResponses })).result
  t.same(Object.keys(second?.inputRequests ?? {}), ['who'])
  const last = { requestState: second?.requestState, inputResponses: { who: { action: 'accept' } } }
  t.match(
    (await wait('namesakes', last)).result,
    { content: [{ text: 'nobody,B,C' }] },
    'a form may be empty',
  )
})

t.test('answers count also when somebody else answers one of the questions at the same time', async t => {
  const race = async () => {
    const taskId = (await call('multi_input')).result?.taskId
    await becomes(send, taskId, 'input_required')
    const update = (inputResponses: object) => send('tasks/update', { taskId, inputResponses })
    const both = { first: named('Ada'), second: named('Bob') }
    for (const { result } of await Promise.all([update({ first: named('Eve') }), update(both)]))
      t.match(result, { resultType: 'complete' })
    const { result } = await becomes(send, taskId, 'completed')
    t.match(result, { content: [{ text: /^(Ada|Eve), then Bob\.$/ }] })
  }
  for (let races = 0; races < 3; races++) await race()
})

t.test('an agent says whether its calls are tasks', async t => {
  t.match((await call('greet', { name: 'Ada' })).result, {
    content: [{ text: 'Hello, Ada!' }],
    resultType: 'complete',
  })
  const { result } = await call('failing_job')
  t.equal(result?.resultType, 'task')
  t.match((await becomes(send, result?.taskId, 'completed')).result, {
    isError: true,
    content: [{ text: 'the job has failed' }],
  })
  const without = await messagesTo(url, { capabilities: forms })('tools/call', { name: 'agent_failing_job' })
  t.match(without, { status: 400, error: { code: -32021, data: { requiredCapabilities: tasks } } })
})

t.test('the first message of an older client says who it is', async t => {
  const ask = olderMessagesTo(url)
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  for (const [params, message] of [
    [{}, 'protocolVersion must be a string'],
    [[hello], 'params must be an object'],
    [{ ...hello, capabilities: undefined }, 'capabilities must be an object'],
    [{ ...hello, capabilities: { elicitation: 7 } }, 'capabilities.elicitation must be an object'],
    [{ ...hello, clientInfo: { name: 'x' } }, 'clientInfo.version must be a string'],
    [{ ...hello, _meta: { progressToken: {} } }, '_meta.progressToken is not what MCP has here'],
  ] as const) {
    const answer = await ask({ id: 1, method: 'initialize', params })
    t.match(await answer.json(), { error: { code: -32602, message } })
    t.equal(answer.status, 200)
  }
})

t.test('a newer client has no first message', async t => {
  t.match(await send('initialize'), { status: 404, error: { code: -32601 } })
})

t.test('arguments that do not fit are a result', async t => {
  t.match((await call('greet')).result, { isError: true, content: [{ text: /name/ }] })
  t.match((await call('echo')).result, { isError: true, content: [{ text: /input/ }] })
  t.match(await call('nobody'), { error: { code: -32602, message: /Unknown tool/ } })
})

t.test(
  'an answer that comes again is the same answer, and one without a state reaches its question',
  async t => {
    const name = 'test_input_required_result_multi_round'
    const first = (await wait(name)).result
    const answers = { requestState: first?.requestState, inputResponses: { step1: named('Ada') } }
    const [second, again] = [(await wait(name, answers)).result, (await wait(name, answers)).result]
    t.match(second, { resultType: 'input_required', inputRequests: { step2: {} } })
    t.same(again?.inputRequests, second?.inputRequests)
    const last = {
      requestState: second?.requestState,
      inputResponses: { step2: { action: 'accept', content: { color: 'blue' } } },
    }
    for (const _ of [1, 2])
      t.match((await wait(name, last)).result, { content: [{ text: 'Ada likes blue.' }] })
    t.match(
      (await wait(name, answers)).result,
      { content: [{ text: 'Ada likes blue.' }] },
      'also an earlier one',
    )
    const both = { inputResponses: { ...answers.inputResponses, ...last.inputResponses } }
    t.match((await wait(name, both)).result, { content: [{ text: 'Ada likes blue.' }] })
    for (const requestState of [`${first?.requestState}0`, 'task_none.4', 7])
      t.match(await wait(name, { requestState, inputResponses: {} }), { error: { code: -32602 } })
  },
)

t.test('a question that the user does not answer is an error of the agent', async t => {
  const inputResponses = { user_name: { action: 'decline' } }
  const { result } = await wait('test_input_required_result_elicitation', { inputResponses })
  t.match(result, { isError: true, content: [{ text: /does not answer/ }] })
})

t.test('a client that shows no forms gets its task, or gives the call up', async t => {
  const name = 'agent_test_input_required_result_elicitation'
  const { result } = await messagesTo(url, { capabilities: tasks })('tools/call', { name })
  t.match(result, { resultType: 'task', status: 'input_required', statusMessage: /What is your name/ })
  const { error, headers } = await messagesTo(url, { capabilities: {} })('tools/call', { name })
  t.match(error, { code: -32021, data: { requiredCapabilities: { elicitation: {} } } })
  t.equal(await statusOf(headers.get('x-task-id')), 'canceled')
})

t.test('a missing capability that is noticed after ten seconds comes with the status 200', async t => {
  const real = globalThis.setTimeout
  const soon = (work: () => void, ms?: number) => real(work, ms === 10_000 ? 0 : ms)
  t.intercept(globalThis, 'setTimeout', { value: Object.assign(soon, real) })
  const name = 'agent_test_input_required_result_elicitation'
  const answer = await messagesTo(url, { capabilities: {} })('tools/call', { name })
  t.match(answer, {
    status: 200,
    error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } },
  })
})

t.test('a task is canceled by its client, or by one that goes away', async t => {
  const { result } = await call('slow_compute', { seconds: 600 })
  t.match(await send('tasks/cancel', { taskId: result?.taskId }), { result: { resultType: 'complete' } })
  await becomes(send, result?.taskId, 'cancelled')
  t.match(await send('tasks/cancel', { taskId: result?.taskId }), { result: { resultType: 'complete' } })
})

t.test('a task of another door is the same task', async t => {
  const body = { user_message_content: 'Hello', client_id: 'echo', stream: false, task_id: 'elsewhere' }
  await api('POST', '/tasks', body)
  const { result } = await send('tasks/get', { taskId: 'elsewhere' })
  t.match(result, { status: 'completed', result: { content: [{ text: 'Hello' }] } })
  const read = await send('resources/read', { uri: 'task://elsewhere' })
  const [content] = (read.result?.contents ?? []) as { text: string }[]
  t.match(JSON.parse(content?.text ?? ''), {
    id: 'elsewhere',
    input: [{ role: 'user' }],
    output: [{ role: 'assistant' }],
  })
  const { result: list } = await send('resources/list')
  const uris = ((list?.resources ?? []) as { uri: string }[]).map(({ uri }) => uri)
  t.ok(uris.includes('task://elsewhere'))
})

t.test('a large task is read as by the API: a user with too many large answers hears that', async t => {
  const task_id = 'large'
  const body = { user_message_content: 'x'.repeat(9 * 1024 ** 2), client_id: 'echo', stream: false, task_id }
  await (await api('POST', '/tasks', body)).text()
  const leave = new AbortController()
  const get = () =>
    fetch(`${url}/v1/tasks/${task_id}`, {
      headers: { authorization: `Bearer ${adminToken}` },
      signal: leave.signal,
    })
  const unread = [await get(), await get()]
  t.match(await send('tasks/get', { taskId: task_id }), { error: { code: -32000, data: { reason: 'Busy' } } })
  leave.abort()
  for (const each of unread) await t.rejects(each.text())
  for (;;) {
    const { result } = await send('tasks/get', { taskId: task_id })
    if (result !== undefined) return t.match(result, { status: 'completed' })
    await new Promise(resolve => setTimeout(resolve, 50))
  }
})

t.test('an environment is a tool whose first call begins a session', async t => {
  const use = async (args: object) =>
    (await send('tools/call', { name: 'env_gridworld', arguments: args })).result
  const begun = (await use({}))?.structuredContent as { session_id: string; tools: unknown[] }
  t.ok(begun.tools.length > 0)
  const { session_id } = begun
  const step = await use({ session_id, tool: 'move', arguments: { direction: 'east' } })
  t.match(step?.structuredContent, { session_id, step: 1 })
  t.match((await use({ session_id }))?.structuredContent, { state: {} })
  t.match((await use({ session_id, close: true }))?.structuredContent, { status: 'closed' })
  t.match(await use({ session_id, tool: 'move' }), { isError: true, content: [{ text: /session/ }] })
  t.match(await use({ session_id: 7 }), { isError: true })
})

t.test('the tool of a kind knows its own sessions, and no others', async t => {
  const use = async (kind: string, args: object) =>
    send('tools/call', { name: `env_${kind}`, arguments: args })
  const sessions = async () =>
    ((await (await api('GET', '/env/sessions')).json()) as { sessions: unknown[] }).sessions.length
  t.match(await use('nothing', {}), { error: { code: -32602, message: 'Unknown tool: env_nothing' } })
  const begun = (await use('gridworld', {})).result ?? {}
  const { session_id } = begun.structuredContent as { session_id: string }
  t.match(await use('nothing', { session_id }), { error: { code: -32602 } })
  const before = await sessions()
  t.match((await use('chess', { session_id })).result, {
    isError: true,
    content: [{ text: /session/ }],
  })
  t.match((await use('gridworld', { close: true })).result, { isError: true })
  t.equal(await sessions(), before, 'nothing has begun')
  t.match((await use('gridworld', { session_id })).result?.structuredContent, { state: {} })
})

t.test('parameters of a wrong form are invalid parameters', async t => {
  const wrong: [string, Record<string, unknown>][] = [
    ['resources/read', {}],
    ['resources/read', { uri: 5 }],
    ['resources/list', { cursor: 5 }],
    ['tools/list', { cursor: 5 }],
    ['resources/templates/list', { cursor: {} }],
  ]
  for (const [method, params] of wrong)
    t.match(await send(method, params), { error: { code: -32602, message: /uri|cursor/ } }, method)
})
