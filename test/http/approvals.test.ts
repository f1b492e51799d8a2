// Calls that wait until somebody approves them, over HTTP: approved, approved with other arguments, or refused.
import t from 'tap'
import { chatOf } from '../group-chat/chats.ts'
import { apiAs, read } from '../support/http.ts'
import { allOf } from '../support/pages.ts'
import { serveHere } from '../support/server.ts'
import {
  type AgentTask,
  callId,
  holds,
  outline,
  result,
  script,
  tasksOf,
  textsOf,
  tool,
} from './agent-tasks.ts'
import { envCalls, modules } from './env-calls.ts'
import { forksOf } from './fork-calls.ts'
import { openSocket } from './socket/client.ts'

const { api, lines, system, url } = await serveHere(t, { ENV_PATH: modules })
const tasks = tasksOf(api)
const { post, act, answer, frames, becomes, get, stream } = tasks

const sum = (expression: string) => ({ tool: 'calculator', arguments: { expression } })
const said = { message: 'heard: $result' }
const asking = async (steps: object[], approve: string[], more: object = {}): Promise<AgentTask> => {
  const { body } = await post({ agent_config: { ...script(...steps), approve }, ...more })
  return body.result as AgentTask
}
const decide = (id: string, call_id: string, decision: string, more: object = {}) =>
  act(id, 'approvals', { call_id, decision, ...more })
const approval = { approval: true }

t.test('a call that fits a pattern makes the task wait, and says for what', async t => {
  const task = await asking([sum('6*7'), said], ['calc*'])
  t.equal(task.status, 'input-required')
  t.match(task.input_required, { name: 'calculator', arguments: '{"expression":"6*7"}', metadata: approval })
  t.match(task.metadata?.pending_inputs, [{ call_id: callId(task), metadata: approval }])
  t.notOk((task.output[0] as { metadata?: unknown }).metadata, 'the item itself is as ever')
  t.type(task.metadata?.expires_at, 'number')
  await holds(t, tasks, task.id)

  const { status } = await decide(task.id, callId(task), 'approve')
  t.equal(status, 200)
  const done = await becomes(task.id, 'completed')
  t.same(textsOf(done), ['heard: 42'])
  t.notOk(done.metadata?.pending_inputs)
  await holds(t, tasks, task.id)
})

t.test('who decided, and when, is in the log', async t => {
  const task = await asking([sum('1+1'), said], ['*'])
  await decide(task.id, callId(task), 'refuse', { reason: 'count yourself' })
  const done = await becomes(task.id, 'completed')
  t.same(textsOf(done), ['heard: the call was refused by admin: count yourself'])
  t.same(outline(done), ['tool_call calculator completed', 'tool_result incomplete', 'message completed'])
  const stored = await allOf(system.log.readStream(`task-${task.id}`))
  const decided = stored.find(({ header }) => header.type === 'ApprovalDecided')
  t.match(decided?.data, { by: 'admin', decision: 'refuse', reason: 'count yourself' })
  t.type(decided?.header.time, 'string')
  await holds(t, tasks, task.id)
})

t.test('with other arguments, the item shows those that ran', async t => {
  const task = await asking([sum('1+1'), said], ['calculator'])
  const wrong = await decide(task.id, callId(task), 'approve', { arguments: { words: 2 } })
  t.equal(wrong.status, 422)
  t.match(wrong.body, { detail: [{ loc: ['body', 'arguments'], msg: /do not fit the tool "calculator"/ }] })
  t.equal((await get(task.id)).status, 'input-required', 'the call still waits')
  const { status } = await decide(task.id, callId(task), 'approve', { arguments: { expression: '2+3' } })
  t.equal(status, 200)
  const done = await becomes(task.id, 'completed')
  t.same(textsOf(done), ['heard: 5'])
  t.match(done.output[0], { arguments: '{"expression":"2+3"}', status: 'completed' })
  const told = await frames(task.id)
  const shown = told.filter(({ type }) => type === 'task.tool_call_arguments.done')
  t.match(shown, [{ arguments: '{"expression":"1+1"}' }, { arguments: '{"expression":"2+3"}' }])
  await holds(t, tasks, task.id)
})

t.test('the first decision counts', async t => {
  const task = await asking([sum('1+1'), said], ['calculator'])
  await decide(task.id, callId(task), 'approve', { reason: 'fine' })
  t.equal((await decide(task.id, callId(task), 'approve', { reason: 'fine' })).status, 200)
  const other = await decide(task.id, callId(task), 'refuse')
  t.equal(other.status, 400)
  t.match(other.body, { code: -32022 })
  await becomes(task.id, 'completed')
  t.equal((await decide(task.id, callId(task), 'approve', { reason: 'fine' })).status, 200)
  t.equal((await decide(task.id, callId(task), 'refuse')).status, 400)
})

t.test('a result counts in place of the call', async t => {
  const task = await asking([sum('1+1'), said], ['calculator'])
  t.equal((await answer(task.id, { call_id: callId(task), message_content: 'eleven' })).status, 200)
  t.same(textsOf(await becomes(task.id, 'completed')), ['heard: eleven'])
  t.match(await decide(task.id, callId(task), 'approve'), { status: 400, body: { code: -32022 } })
})

t.test('calls of one step are decided one by one, and a call of the client waits as ever', async t => {
  const steps = [{ tools: [sum('1+1'), sum('2+2'), { tool: 'ask' }] }, said]
  const task = await asking(steps, ['*'], { client_tools: [tool('ask')] })
  t.match(task.metadata?.pending_inputs, [{ metadata: approval }, { metadata: approval }, { name: 'ask' }])
  t.notOk((task.metadata?.pending_inputs?.[2] as { metadata?: unknown } | undefined)?.metadata)
  const wrong = await decide(task.id, callId(task, 2), 'approve')
  t.match(wrong, { status: 422, body: { detail: [{ loc: ['body', 'call_id'] }] } })
  await decide(task.id, callId(task), 'approve')
  await becomes(task.id, 'input-required')
  await decide(task.id, callId(task, 1), 'refuse')
  const left = await becomes(task.id, 'input-required')
  t.match(left.metadata?.pending_inputs, [{ name: 'ask' }])
  await answer(task.id, { call_id: callId(task, 2), message_content: 'yes' })
  await becomes(task.id, 'completed')
  await holds(t, tasks, task.id)
})

t.test('a tool that ends the task ends it only once it has run', async t => {
  const task = await asking([sum('1+1'), said], ['calculator'], { stop_tools: ['calculator'] })
  t.equal(task.status, 'input-required')
  await decide(task.id, callId(task), 'approve')
  t.same(textsOf(await becomes(task.id, 'completed')), [])
})

t.test('a refused call needs no approval, and neither does a tool that fits no pattern', async t => {
  const steps = [{ tools: [{ tool: 'nobody' }, sum('1+1')] }, said]
  t.equal((await asking(steps, ['write_file', 'agent:*', 'mcp:*', 'env:*'])).status, 'completed')
})

t.test('a subagent is a call, and its own calls need the same approvals', async t => {
  const input = JSON.stringify([sum('6*7'), { message: 'counted' }])
  const task = await asking([{ subagent: 'script', input }, said], ['agent:script', 'calculator'])
  t.match(task.input_required, { name: 'agent_script', metadata: approval })
  await decide(task.id, callId(task), 'approve')
  const waits = await becomes(task.id, 'input-required')
  t.match(waits.input_required, { name: 'calculator', metadata: approval })
  const child = waits.metadata?.pending_task as string
  t.match(await get(child), { status: 'input-required', metadata: { parent_task_id: task.id } })
  const call = waits.input_required?.call_id as string
  t.equal((await decide(task.id, call, 'approve')).status, 200)
  t.same(textsOf(await becomes(task.id, 'completed')), ['heard: counted'])
  await holds(t, tasks, task.id)
  await holds(t, tasks, child)
})

t.test('a streamed result in place of the call of a subagent begins after the result', async t => {
  const input = JSON.stringify([sum('6*7'), { message: 'counted' }])
  const task = await asking([{ subagent: 'script', input }, said], ['calculator'])
  const before = await frames(task.id)
  const given = [result(String(task.input_required?.call_id), 'many')]
  const told = await stream({ task_id: task.id, user_message_content: '', history_messages: given })
  await told.rest()
  t.match(told.frames()[0], { type: 'task.working', sequence_number: before.length })
  t.equal(told.frames().at(-1)?.type, 'task.completed')
  t.same(told.frames(), (await frames(task.id)).slice(before.length))
})

t.test('a result for the call of a subagent needs the task_id of its caller', async t => {
  const input = JSON.stringify([sum('6*7'), { message: 'counted' }])
  const task = await asking([{ subagent: 'script', input }, said], ['calculator'])
  const given = [result(String(task.input_required?.call_id), 'many')]
  const lost = await post({ session_id: task.session_id, history_messages: given })
  t.match(lost, { status: 400, body: { error: { code: -32020, data: { task_id: task.id } } } })
  await post({
    session_id: task.session_id,
    history_messages: given,
    task_id: task.id,
    user_message_content: '',
  })
  t.same(textsOf(await becomes(task.id, 'completed')), ['heard: counted'])
})

t.test('the events of a task carry the question', async t => {
  const task = await asking([sum('1+1'), said], ['calculator'])
  const stored = await allOf(system.log.readStream(`task-${task.id}`))
  const asked = stored.find(({ header }) => header.type === 'InputRequired')
  t.match(asked?.data, { asks: [{ call_id: callId(task), name: 'calculator', metadata: approval }] })
  await act(task.id, 'cancel')
  t.match(await decide(task.id, callId(task), 'approve'), { status: 400, body: { code: -32020 } })
})

t.test('a step of an environment session may wait, and the session takes no step before', async t => {
  const env = envCalls(api)
  const session_id = await env.made()
  const task = await asking([{ tool: 'add', arguments: { by: 2 } }, said], ['env:*'], { session_id })
  t.match(task.input_required, { name: 'add', metadata: approval })
  t.match((await env.observe(session_id)).body.state, { total: 0 })
  await decide(task.id, callId(task), 'approve', { arguments: { by: 5 } })
  await becomes(task.id, 'completed')
  t.match((await env.observe(session_id)).body.state, { total: 5 })
})

t.test('in a group chat, the chat shows the calls of its speakers and passes decisions on', async t => {
  const ann = { name: 'ann', agent_id: 'script', script: [sum('1+1'), { message: 'I got $result' }] }
  const body = chatOf([ann], { max_rounds: 1 }) as { agent_config: object }
  const chat = (await post({ ...body, agent_config: { ...body.agent_config, approve: ['calculator'] } })).body
    .result as AgentTask
  t.match(chat, { status: 'input-required', input_required: { name: 'calculator', metadata: approval } })
  t.notOk(chat.metadata?.pending_task)
  const call = chat.input_required?.call_id as string
  t.equal((await decide(chat.id, call, 'refuse', { reason: 'no' })).status, 200)
  const done = await becomes(chat.id, 'completed')
  t.match(textsOf(done), ['I got the call was refused by admin: no'])
})

t.test('a fork waits for an approval of its own', async t => {
  const { fork } = forksOf(api)
  const task = await asking([sum('1+1'), said], ['calculator'])
  const made = await fork(task.id, { at: (await frames(task.id)).length - 1 })
  t.match(made, { status: 'input-required', input_required: { metadata: approval } })
  t.equal(
    (await decide(made.id, callId(task), 'approve')).status,
    422,
    'it does not know the call of the task',
  )
  await decide(made.id, callId(made), 'approve', { arguments: { expression: '2+2' } })
  t.same(textsOf(await becomes(made.id, 'completed')), ['heard: 4'])
  await holds(t, tasks, made.id)
  const later = await fork(made.id, { at: (await frames(made.id)).length - 1, run: false })
  t.match(later.output[0], { arguments: '{"expression":"2+2"}' })
  t.equal((await get(task.id)).status, 'input-required')
})

t.test('on the WebSocket it is the message approve', async t => {
  const task = await asking([sum('1+1'), said], ['calculator'])
  const socket = await openSocket(url)
  const message = { type: 'approve', task_id: task.id, call_id: callId(task), decision: 'approve' }
  t.equal((await socket.ask(message)).type, 'result')
  t.equal((await socket.ask(message)).type, 'result', 'the same again')
  t.match(await socket.ask({ ...message, decision: 'refuse' }), { type: 'error', error: { code: -32022 } })
  t.match(await socket.ask({ ...message, decision: 'maybe' }), { type: 'error', error: { code: -32602 } })
  await socket.cut()
})

t.test('the owner decides, and nobody else but an admin', async t => {
  const as = async (role: string, user_id?: string) => {
    const made = await read(api('POST', '/auth/tokens', { role, ...(user_id ? { user_id } : {}) }))
    return tasksOf(apiAs(url, (made.body as unknown as { token: string }).token))
  }
  const [owner, other, auditor] = [await as('user', 'ann'), await as('user', 'bob'), await as('auditor')]
  const config = { ...script(sum('1+1'), said), approve: ['*'] }
  const task = (await owner.post({ agent_config: config })).body.result as AgentTask
  const decision = { call_id: callId(task), decision: 'approve' }
  t.equal((await other.act(task.id, 'approvals', decision)).status, 404)
  t.equal((await auditor.act(task.id, 'approvals', decision)).status, 403)
  t.equal((await owner.act(task.id, 'approvals', decision)).status, 200)
  await becomes(task.id, 'completed')
})

t.test('a pattern that is none is refused', async t => {
  for (const pattern of ['', 'a b', 'http:x', 'mcp:', 'a:b:c', 'naïve', 'x'.repeat(300)]) {
    const { status, body } = await post({ agent_config: { ...script(said), approve: [pattern] } })
    t.equal(status, 422, pattern)
    t.match(body, { detail: [{ loc: ['body', 'agent_config', 'approve', 0] }] }, pattern)
  }
  const group = { agents: [{ name: 'ann', agent_id: 'echo', approve: ['a b'] }] }
  const { body } = await post({ agent_config: { agent_id: 'group', group } })
  t.match(body, { detail: [{ loc: ['body', 'agent_config', 'group', 'agents', 0, 'approve', 0] }] })
})

t.test('only approvals have arguments, and nobody decides about tasks of others', async t => {
  const task = await asking([sum('1+1'), said], ['calculator'])
  const odd = await decide(task.id, callId(task), 'refuse', { arguments: {} })
  t.match(odd, { status: 422, body: { detail: [{ loc: ['body', 'arguments'] }] } })
  t.equal((await decide('task_nowhere', callId(task), 'refuse')).status, 404)
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
