// Runs of AG-UI, asked with its own client: by those who may, by others, and by those who mean no good.
import type { Message } from '@ag-ui/client'
import t from 'tap'
import { createRunTeller } from '../../../src/doors/ag-ui/teller.ts'
import type { Beat } from '../../../src/doors/turns.ts'
import type { Frame } from '../../../src/history/frames.ts'
import { adminToken, serveHere } from '../../support/server.ts'
import { scriptedModel, taskOf } from '../openai/clients.ts'
import { agentOf, eventsIn, post, resultOf, run, textIn, textOf, tool, typesOf, user } from './clients.ts'
import { beHostile } from './hostile.ts'

const seed = Number(process.env.SEED ?? 171)
const model = await scriptedModel(t)
const { script, texts } = model
const { api, url, lines } = await serveHere(t, { ...model.env, ALLOWED_ORIGINS: 'http://page.example' })
type Asked = { messages: { role: string; content: unknown }[]; tools?: object[] }
const lastAsked = () => model.asked.at(-1)?.request as Asked
const asked = () =>
  lastAsked().messages.map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : ''}`)

t.test('a run has what the agent said, and a task behind it', async t => {
  await texts('Hello there!')
  const agent = agentOf(url, 'model', { initialState: { page: 'home' } })
  agent.addMessage(user('Hi'))
  const context = [{ description: 'The name of the user', value: 'Ada' }]
  const events = await run(agent, { runId: 'run-first', context, forwardedProps: { a: 1 } })
  t.same(
    typesOf(events).filter(type => type !== 'TEXT_MESSAGE_CONTENT'),
    [
      'RUN_STARTED',
      'STATE_SNAPSHOT',
      'STEP_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'RUN_FINISHED',
    ],
  )
  t.equal(textIn(events), 'Hello there!')
  t.match(events.at(-1), { runId: 'run-first', threadId: agent.threadId, outcome: { type: 'success' } })
  t.match(events.at(-1), { usage: [{ outputTokens: Number }] })
  t.match(await taskOf(api, 'run-first'), {
    status: 'completed',
    session_id: agent.threadId,
    metadata: { ag_ui: { state: { page: 'home' }, forwardedProps: { a: 1 } } },
  })
  t.match(agent.messages, [{ role: 'user' }, { role: 'assistant', content: 'Hello there!' }])
  t.same(agent.state, { page: 'home' }, 'the state comes back as it was')
  t.match(asked()[0], /^system: .*Ada.*page.*home/s, 'and the model knows it')
})

t.test('a tool that the server runs is shown with its result', async t => {
  await script([
    { reasoning: 'I should count.', tool_calls: [{ name: 'calculator', arguments: { expression: '6*7' } }] },
    { text: 'It is 42.' },
  ])
  const agent = agentOf(url, 'model')
  agent.addMessage(user('Count'))
  const events = await run(agent)
  t.same(
    typesOf(events).filter(type => !/CONTENT|ARGS/.test(type)),
    [
      ...['RUN_STARTED', 'STATE_SNAPSHOT', 'STEP_STARTED'],
      ...['REASONING_START', 'REASONING_MESSAGE_START', 'REASONING_MESSAGE_END', 'REASONING_END'],
      ...['TOOL_CALL_START', 'TOOL_CALL_END', 'TOOL_CALL_RESULT', 'STEP_FINISHED'],
      ...['STEP_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_END', 'STEP_FINISHED', 'RUN_FINISHED'],
    ],
  )
  t.match(agent.messages.slice(1), [
    { role: 'reasoning', content: 'I should count.' },
    {
      role: 'assistant',
      toolCalls: [{ function: { name: 'calculator', arguments: '{"expression":"6*7"}' } }],
    },
    { role: 'tool', content: '42' },
    { role: 'assistant', content: 'It is 42.' },
  ])
})

t.test('a thread is a session: what it has already is not added again', async t => {
  await texts('One.', 'Two.', 'Three.')
  const agent = agentOf(url, 'model')
  for (const text of ['1', '2', '3']) {
    agent.addMessage(user(text))
    await run(agent, { runId: `run-thread-${text}` })
  }
  t.same(asked(), ['user: 1', 'assistant: One.', 'user: 2', 'assistant: Two.', 'user: 3'])
  const { session_id, previous_task_id } = await taskOf(api, 'run-thread-3')
  t.same([session_id, previous_task_id], [agent.threadId, 'run-thread-2'])
})

t.test('a conversation that the session does not have comes from the client', async t => {
  await texts('One.', 'Other one.', 'Two.')
  const brought: Message[] = [user('Before'), { id: 'elsewhere', role: 'assistant', content: 'Elsewhere.' }]
  const agent = agentOf(url, 'model', { initialMessages: brought })
  agent.addMessage(user('1'))
  await run(agent)
  t.same(asked(), ['user: Before', 'assistant: Elsewhere.', 'user: 1'])
  agent.setMessages(agent.messages.slice(0, -1))
  await run(agent)
  t.same(asked(), ['user: Before', 'assistant: Elsewhere.', 'user: 1'], 'a dropped answer is not seen')
  agent.addMessage(user('2'))
  await run(agent)
  t.same(asked(), ['user: Before', 'assistant: Elsewhere.', 'user: 1', 'assistant: Other one.', 'user: 2'])
})

t.test('a run that failed is an error, and what the user said then is said once', async t => {
  await script([{ status: 400, error: 'no' }, { text: 'Now it works.' }])
  const agent = agentOf(url, 'model')
  agent.addMessage(user('first'))
  const events = await run(agent)
  t.match(events.at(-1), { type: 'RUN_ERROR', code: 'task_failed', message: String })
  agent.addMessage(user('second'))
  await run(agent)
  t.same(asked(), ['user: first', 'user: second'])
})

t.test('a run that was canceled says so, also to older clients', async t => {
  const body = { threadId: 'thread-cancel', messages: [user('Wait')] }
  for (const [protocolVersion, last] of [
    ['1.0', { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } }],
    [undefined, { type: 'RUN_ERROR', code: 'task_canceled' }],
  ] as const) {
    const runId = `run-cancel-${protocolVersion}`
    await script([{ text: 'a b c d e f g h i j', token_ms: 5000 }])
    const answer = post(url, 'model', { ...body, runId, protocolVersion })
    const text = await (
      await answer.then(async response => {
        await api('POST', `/tasks/${runId}/cancel`)
        return response
      })
    ).text()
    t.match(eventsIn(text).at(-1)?.event, last)
  }
})

t.test('the parts of a message reach the model, and older clients write files in their own way', async t => {
  await texts('Nice.')
  const data = Buffer.from('png').toString('base64')
  const content = [
    { type: 'text', text: 'Look' },
    { type: 'image', source: { type: 'data', value: data, mimeType: 'image/png' } },
    { type: 'binary', mimeType: 'image/png', data },
  ]
  const messages = [{ id: 'u', role: 'user', content }]
  await (await post(url, 'model', { threadId: 'thread-parts', runId: 'run-parts', messages })).text()
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }
  t.match(lastAsked().messages.at(-1)?.content, [{ type: 'text', text: 'Look' }, image, image])
  for (const part of [
    { type: 'video', source: { type: 'url', value: 'https://example.com/v.mp4' } },
    { type: 'audio', source: { type: 'url', value: 'https://example.com/a.mp3' } },
    { type: 'image', source: { type: 'file', value: 'file-1' } },
  ]) {
    const refused = await post(url, 'model', {
      ...{ threadId: 'thread-parts', runId: 'run-refused' },
      messages: [{ id: 'u', role: 'user', content: [part] }],
    })
    t.equal(refused.status, 422, part.type)
    t.match(await refused.json(), { detail: [{ loc: ['body', 'messages', 0, 'content', 0] }] })
  }
})

t.test('agents, tokens and bodies are checked before the stream begins', async t => {
  const body = { threadId: 'thread-checks', runId: 'run-checks', messages: [user('Hi')] }
  const unknown = await post(url, 'nobody', body)
  t.equal(unknown.status, 404)
  t.match(await unknown.json(), { message: /there is no agent "nobody": the agents are .*echo/ })
  t.equal((await post(url, 'echo', body, { authorization: 'Bearer wrong' })).status, 401)
  t.equal((await post(url, 'echo', { ...body, messages: 7 })).status, 422)
  const resume = [{ interruptId: 'call_1.run-nowhere', status: 'resolved', payload: 1 }]
  const nothing = await post(url, 'echo', { ...body, resume })
  t.equal(nothing.status, 422)
  t.match(await nothing.json(), { detail: [{ loc: ['body', 'resume', 0, 'interruptId'] }] })
  const odd = await post(url, 'echo', { ...body, colour: 'red' })
  t.equal(odd.headers.get('x-ignored-fields'), 'colour')
  t.equal(odd.headers.get('x-task-id'), 'run-checks')
  t.match(textOf(eventsIn(await odd.text())), 'Hi')
  t.equal((await post(url, 'echo', { ...body, runId: 'no spaces' })).status, 422)
  t.equal((await post(url, 'demo', body)).status, 409, 'the run is one of another agent')
  const conflict = await post(url, 'echo', { ...body, threadId: 'another' })
  t.equal(conflict.status, 409)
  t.match(await conflict.json(), { message: /belongs to the thread "thread-checks" of the agent echo/ })
})

t.test('numbers in a state come back as they were', async t => {
  const text = `{"threadId":"thread-exact","runId":"run-exact","state":{"n":12345678901234567890},
    "messages":[{"id":"1","role":"user","content":"Hi"}]}`
  t.match(await (await post(url, 'echo', text)).text(), '"snapshot":{"n":12345678901234567890}')
})

t.test('only the text of a result is shown', async t => {
  const frame = (type: Frame['type'], item: object): Beat => ({
    turn: -1,
    frame: { type, sequence_number: 0, task_id: 'a', item },
  })
  const created = { request: {} } as Parameters<typeof createRunTeller>[0]
  const run = { threadId: 'thread', runId: 'a' }
  const { tell } = createRunTeller(created, { taskId: 'a', turn: -1 }, run)
  tell(frame('task.output_item.added', { type: 'tool_call', id: 'tc_1', call_id: 'call_1', name: 'look' }))
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
  const message_content = [{ type: 'text', text: 'A cat.' }, image]
  const result = { type: 'tool_result', id: 'tr_1', call_id: 'call_1', message_content, block_list: [] }
  t.match(tell(frame('task.output_item.done', result)).at(-1), {
    type: 'TOOL_CALL_RESULT',
    content: 'A cat.',
  })
})

t.test('pages of allowed origins may run agents', async t => {
  const origin = 'http://page.example'
  const preflight = await fetch(`${url}/ag-ui/echo`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  })
  t.equal(preflight.status, 204)
  t.equal(preflight.headers.get('access-control-allow-origin'), origin)
  const body = { threadId: 'thread-origin', runId: 'run-origin', messages: [user('Hi')] }
  const answer = await post(url, 'echo', body, { origin })
  t.equal(answer.headers.get('access-control-allow-origin'), origin)
  t.equal(answer.headers.get('content-type'), 'text/event-stream')
  await answer.text()
  const other = await post(url, 'echo', body, { origin: 'http://other.example' })
  t.equal(other.headers.get('access-control-allow-origin'), null)
  await other.text()
})

const tokenOf = async (body: object): Promise<string> =>
  ((await (await api('POST', '/auth/tokens', body)).json()) as { token: string }).token
const bearer = async (body: object) => ({ authorization: `Bearer ${await tokenOf(body)}` })

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
  const ann = await bearer({ role: 'user', user_id: 'ann' })
  const bob = await bearer({ role: 'user', user_id: 'bob' })
  await script([{ tool_calls: [{ name: 'paint', arguments: {} }] }, { text: 'Hello.' }])
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
})

t.test('the server has no complaints', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
