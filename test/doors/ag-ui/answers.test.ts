// Runs that leave something to the client, calls of its tools or questions, and runs that are joined again.
import type { HttpAgent } from '@ag-ui/client'
import t from 'tap'
import { until } from '../../support/http.ts'
import { serveHere } from '../../support/server.ts'
import { scriptedModel, taskOf } from '../openai/clients.ts'
import {
  agentOf,
  cutStream,
  type Event,
  eventsIn,
  post,
  resultOf,
  run,
  textIn,
  textOf,
  tool,
  typesOf,
  user,
} from './clients.ts'

const asks = `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  const color = await ctx.ask('choose', { question: 'Which color?' })
  return 'Painted ' + color + '.'
})
`
const asksTwice = `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  const [a, b] = await Promise.all([ctx.ask('choose', {}), ctx.ask('paint', {})])
  return a + ' and ' + b
})
`
const agents = t.testdir({ 'asks.ts': asks, 'asks-twice.ts': asksTwice })
const model = await scriptedModel(t)
const { script } = model
const { api, url, lines } = await serveHere(t, { ...model.env, AGENT_PATH: agents })
const callsTo = (...names: string[]) => ({ tool_calls: names.map(name => ({ name, arguments: { n: 1 } })) })
const tasks = async (): Promise<number> =>
  ((await (await api('GET', '/tasks?limit=100')).json()) as { result: object[] }).result.length
type Outcome = {
  type: string
  pendingToolCallIds?: string[]
  interrupts?: { id: string; message?: string }[]
}
const outcomeOf = (events: Event[]): Outcome => events.at(-1)?.outcome as Outcome
const begun = async (text: string, agent = agentOf(url, 'model')): Promise<HttpAgent> => {
  agent.addMessage(user(text))
  return agent
}

t.test('a call of a tool of the front end ends the run, and its result goes on', async t => {
  await script([callsTo('paint', 'count'), { text: 'Done.' }])
  const before = await tasks()
  const agent = await begun('Paint')
  const tools = [tool('paint'), tool('count')]
  const first = await run(agent, { runId: 'run-tools', tools })
  const pending = outcomeOf(first).pendingToolCallIds ?? []
  t.equal(outcomeOf(first).type, 'success', 'the front end decides whether it goes on')
  t.equal(pending.length, 2)
  t.match(await taskOf(api, 'run-tools'), { status: 'input-required' })

  const [one = '', two = ''] = pending
  agent.addMessage(resultOf(one, 'red'))
  const half = await post(url, 'model', { threadId: agent.threadId, runId: 'half', messages: agent.messages })
  t.equal(half.status, 400)
  t.match(await half.json(), { data: { missing_call_ids: [two.split('.')[0]] } })

  agent.addMessage(resultOf(two, '7'))
  const second = await run(agent, { runId: 'run-tools-2', tools })
  t.equal(textIn(second), 'Done.')
  t.match(second[0], { type: 'RUN_STARTED', runId: 'run-tools-2' })
  t.match(await taskOf(api, 'run-tools'), { status: 'completed' })
  t.equal(await tasks(), before + 1, 'both runs are one task')
  t.same(
    typesOf(second).filter(type => type.startsWith('TOOL')),
    [],
    'the result is not told again',
  )

  await script([{ text: 'Hello again.' }])
  agent.addMessage(user('Hi'))
  t.equal(textIn(await run(agent, { tools })), 'Hello again.')
  const last = model.asked.at(-1)?.request as { messages: { role: string }[] } | undefined
  t.same(
    last?.messages.map(({ role }) => role),
    ['user', 'assistant', 'tool', 'tool', 'assistant', 'user'],
  )
})

t.test('a front end may go on under the id of the first run', async t => {
  await script([callsTo('paint'), { text: 'Done.' }])
  const agent = await begun('Paint')
  const parameters = { runId: 'run-same-id', tools: [tool('paint')] }
  const [id = ''] = outcomeOf(await run(agent, parameters)).pendingToolCallIds ?? []
  agent.addMessage(resultOf(id, 'red'))
  t.equal(textIn(await run(agent, parameters)), 'Done.')
})

t.test('a user who says something else begins another task', async t => {
  await script([callsTo('paint'), { text: 'Fine.' }])
  const agent = await begun('Paint')
  await run(agent, { runId: 'run-left', tools: [tool('paint')] })
  agent.addMessage(user('Never mind'))
  t.equal(textIn(await run(agent)), 'Fine.')
  t.match(await taskOf(api, 'run-left'), { status: 'input-required' })
})

t.test('clients before 1.0 get no more than they know', async t => {
  await script([callsTo('paint')])
  const messages = [user('Paint')]
  const answer = await post(url, 'model', {
    ...{ threadId: 'thread-old', runId: 'run-old', tools: [tool('paint')] },
    messages,
  })
  t.same(outcomeOf(eventsIn(await answer.text()).map(({ event }) => event)), { type: 'success' })
})

t.test('a question is an interrupt, which resume answers', async t => {
  const agent = await begun('Go', agentOf(url, 'asks'))
  const first = await run(agent, { runId: 'run-asks' })
  const { type, interrupts = [] } = outcomeOf(first)
  t.equal(type, 'interrupt')
  t.match(interrupts, [
    { reason: 'input_required', message: 'Which color?', toolCallId: String, expiresAt: String },
  ])
  await t.rejects(run(agent), /pending interrupt/, 'the client asks for an answer')
  const [{ id } = { id: '' }] = interrupts
  const resume = [{ interruptId: id, status: 'resolved' as const, payload: 'blue' }]
  const second = await run(agent, { runId: 'run-asks-2', resume })
  t.equal(textIn(second), 'Painted blue.')
  t.equal(outcomeOf(second).type, 'success')

  const body = { threadId: agent.threadId, runId: 'run-asks-2', messages: agent.messages, resume }
  const again = eventsIn(await (await post(url, 'asks', { ...body, protocolVersion: '1.0' })).text())
  t.same(
    again.map(({ event }) => event),
    second.map(event => event),
    'the same answer again is the same run',
  )
  const other = await post(url, 'asks', { ...body, resume: [{ ...resume[0], payload: 'red' }] })
  t.equal(other.status, 400)
  t.match(await other.json(), { message: /already has a different answer/ })
})

t.test('a question beside a call of a tool of the front end: both are interrupts', async t => {
  const agent = await begun('Go', agentOf(url, 'asks-twice'))
  const { type, interrupts = [] } = outcomeOf(await run(agent, { tools: [tool('paint')] }))
  t.same([type, interrupts.length], ['interrupt', 2])
  const resume = interrupts.map(({ id }, n) => ({
    interruptId: id,
    status: 'resolved' as const,
    payload: [{ color: 'red' }, 'yes'][n],
  }))
  t.equal(textIn(await run(agent, { resume })), '{"color":"red"} and yes', 'JSON is a text to the agent')
})

t.test('a run goes on while its task is paused, and keeps the context of its task', async t => {
  const sum = { name: 'calculator', arguments: { expression: '6*7' } }
  await script([
    callsTo('paint'),
    { text: 'a b c d e f', token_ms: 100, tool_calls: [sum] },
    { text: 'Done.' },
  ])
  const agent = await begun('Paint')
  const tools = [tool('paint')]
  const context = (value: string) => [{ description: 'Weather', value }]
  const first = await run(agent, { runId: 'run-paused', tools, context: context('sunny') })
  agent.addMessage(resultOf(outcomeOf(first).pendingToolCallIds?.[0] ?? '', 'red'))
  const second = run(agent, { context: context('rainy') })
  const move = async (verb: string) => (await api('POST', `/tasks/run-paused/${verb}`)).status
  const becomes = (status: string) => until(async () => (await taskOf(api, 'run-paused')).status === status)
  await becomes('working')
  t.equal(await move('pause'), 200)
  await becomes('paused')
  t.equal(await move('resume'), 200)
  t.match(outcomeOf(await second), { type: 'success' })
  t.match(JSON.stringify(model.asked.at(-1)?.request), /sunny/)
  t.notMatch(JSON.stringify(model.asked.at(-1)?.request), /rainy/)
})

t.test('a message of a tool answers a question too, of a client that was loaded again', async t => {
  const agent = await begun('Go', agentOf(url, 'asks'))
  const [{ id } = { id: '' }] = outcomeOf(await run(agent)).interrupts ?? []
  const { threadId, messages } = agent
  const loaded = agentOf(url, 'asks', { threadId, initialMessages: [...messages, resultOf(id, 'green')] })
  t.equal(textIn(await run(loaded)), 'Painted green.')
})

t.test('a cancelled interrupt tells the agent', async t => {
  const agent = await begun('Go', agentOf(url, 'asks'))
  const [{ id } = { id: '' }] = outcomeOf(await run(agent, { runId: 'run-no' })).interrupts ?? []
  const last = (await run(agent, { resume: [{ interruptId: id, status: 'cancelled' }] })).at(-1)
  t.match(last, { type: 'RUN_ERROR', message: /The user gave no answer/ })
})

t.test('a stream that was cut is joined again, and the task is not cut with it', async t => {
  const said = 'one two three four five six seven eight'
  await script([{ text: said, token_ms: 40 }, { text: 'Twice!' }])
  const body = { threadId: 'thread-cut', runId: 'run-cut', messages: [user('Count')], protocolVersion: '1.0' }
  const before = await tasks()
  const cut = new AbortController()
  const answer = await post(url, 'model', body, {}, { signal: cut.signal })
  const first = await cutStream(answer, events => {
    if (events.length > 4) cut.abort()
  })
  const last = first.at(-1)?.id ?? -1
  const joined = await post(url, 'model', body, { 'last-event-id': String(last) })
  const rest = eventsIn(await joined.text())
  const whole = [...first, ...rest]
  t.same(
    whole.map(({ id }) => id),
    whole.map((_, n) => n),
    'no event is missing, and none comes twice',
  )
  t.equal(textOf(whole), said)
  const partly = { id: 'a part of it', role: 'assistant', content: 'one two' }
  const read = await post(url, 'model', { ...body, messages: [...body.messages, partly] })
  t.same(eventsIn(await read.text()), whole, 'each reading is the same')
  t.equal(await tasks(), before + 1)
  const end = await post(url, 'model', body, { 'last-event-id': String(whole.length - 1) })
  t.same(eventsIn(await end.text()), [])
  t.equal((await post(url, 'model', body, { 'last-event-id': 'x' })).status, 422)
  const beyond = await post(url, 'model', body, { 'last-event-id': String(whole.length) })
  t.equal(beyond.status, 422)
  t.match(await beyond.text(), /The cursor is beyond the end of the stream/)
  const unknown = { ...body, threadId: 'thread-new', runId: 'run-new' }
  t.equal((await post(url, 'model', unknown, { 'last-event-id': '0' })).status, 422)
  t.equal(await tasks(), before + 1, 'a run with a cursor, of which nothing is there, makes no task')
})

t.test('a run that answers a task is taken up after any of its events', async t => {
  const agent = await begun('Go', agentOf(url, 'asks'))
  const [question] = outcomeOf(await run(agent)).interrupts ?? []
  const resume = [{ interruptId: question?.id, status: 'resolved', payload: 'red' }]
  const body = { threadId: agent.threadId, runId: 'run-resumed', messages: [], resume }
  t.equal((await post(url, 'asks', body, { 'last-event-id': '0' })).status, 422, 'it has not begun')
  const whole = eventsIn(await (await post(url, 'asks', body)).text())
  t.equal(textOf(whole), 'Painted red.')
  const rest = await post(url, 'asks', body, { 'last-event-id': '2' })
  t.same(eventsIn(await rest.text()), whole.slice(3))
  t.equal((await post(url, 'asks', body, { 'last-event-id': String(whole.length) })).status, 422)
})

t.test('a call whose step broke off is not left to the front end', async t => {
  await script([{ ...callsTo('paint'), text: 'Let me', fault: 'break-in-call' }, { text: 'No paint.' }])
  const agent = await begun('Paint')
  const events = await run(agent, { tools: [tool('paint')] })
  const started = events.filter(({ type }) => type === 'TOOL_CALL_START').map(({ toolCallId }) => toolCallId)
  const answered = events.filter(({ type }) => type === 'TOOL_CALL_RESULT')
  t.equal(started.length, 1, 'the client has seen a part of it')
  t.match(answered, [{ toolCallId: started[0], content: /was not made/ }])
  t.same(outcomeOf(events), { type: 'success' })
  t.match(agent.messages.at(-1), { role: 'assistant', content: 'No paint.' })
})

t.test('the server has no complaints', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
