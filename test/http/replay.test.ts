// What the log says of a task is what everybody says of it: replay, for tasks of every shape.
import t from 'tap'
import { pause, read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { type AgentTask, callId, holds, result, script, tasksOf, tool } from './agent-tasks.ts'

const { api, lines } = await serveHere(t)
const tasks = tasksOf(api)
const { play, post, act, answer, becomes, get } = tasks

const sum = { tool: 'calculator', arguments: { expression: '6*7' } }
const ask = { tool: 'ask', arguments: {} }
const end = { message: 'so: $result' }
const child = (...steps: object[]) => ({ subagent: 'script', input: JSON.stringify(steps) })
const client_tools = [tool('ask'), tool('tell')]
const asleep = { sleep_ms: 600_000 }
const background = { background: true }

/** Tasks of every shape, by name: each gives its id. */
const shapes: Record<string, () => Promise<string>> = {
  'an echo': async () => (await post({ client_id: 'echo' })).body.result.id,
  'a script of everything': async () => {
    const steps = [
      { reasoning: 'hm' },
      { message: 'one two three', delta_ms: 1 },
      { usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, cached: { a: 1 } } },
      { tools: [sum, sum, { tool: 'nobody' }, { tool: 'agent_echo', arguments: { input: 'hi' } }] },
      child({ usage: { total_tokens: 5 } }, { fail: { code: -32000, message: 'no' } }),
      { message: '' },
      { tools: [] },
      end,
    ]
    const metadata = { mine: { deep: [1, null, 'é\u2028'] } }
    return (await play(steps, { metadata, unknown_field: 1, return_rollout: true, request_id: 'r é' })).id
  },
  'a failure': async () => (await play([sum, { fail: { code: 7, message: 'no\nmore' } }])).id,
  'a failed structured output': async () =>
    (await play([{ message: 'a' }], { structured_output: { type: 'object' } })).id,
  'one that works': async () => {
    const { id } = await play([{ message: 'a' }, asleep], background)
    await until(async () => (await get(id)).output.length === 1)
    const events = async () => (await act(id, 'replay')).text.match(/"events":\d+/)?.[0]
    await until(async () => {
      const before = await events()
      await pause(50) // the step that sleeps may begin a moment after the item is there
      return (await events()) === before
    })
    return id
  },
  'a queued one': async () => {
    const session_id = 'queue'
    await play([asleep], { ...background, session_id })
    return (await play([end], { ...background, session_id })).id
  },
  'a paused one': async () => (await play([sum, { pause: 'look' }, end])).id,
  'one that was paused': async () => {
    const { id } = await play([sum, { pause: 'look' }, end])
    await act(id, 'messages', { content: 'look here' })
    await act(id, 'resume')
    await becomes(id, 'completed')
    return id
  },
  'one that waits for its client': async () =>
    (await play([{ tools: [ask, sum] }, end], { client_tools })).id,
  'one that was answered in parts': async () => {
    const task = await play([{ tools: [ask, { tool: 'tell' }] }, end], { client_tools })
    await answer(task.id, { call_id: callId(task, 1), message_content: [{ type: 'text', text: 'b' }] })
    await answer(task.id, { call_id: callId(task), message_content: 'a', block_list: [{ type: 'chart' }] })
    await becomes(task.id, 'completed')
    return task.id
  },
  'one that is half answered': async () => {
    const task = await play([{ tools: [ask, { tool: 'tell' }] }, end], { client_tools })
    await answer(task.id, { call_id: callId(task, 1), message_content: 'b' })
    return task.id
  },
  'one that was continued by another': async () => {
    const session_id = 'continued'
    const task = await play([ask, end], { client_tools, session_id })
    const history_messages = [result(callId(task), 'me')]
    await post({ session_id, history_messages, agent_config: script(end) })
    t.ok((await get(task.id)).metadata?.continued_by)
    return task.id
  },
  'one that continued another': async () => {
    const session_id = 'continues'
    const task = await play([ask, end], { client_tools, session_id })
    const history_messages = [result(callId(task), 'me')]
    return (await post({ session_id, history_messages, agent_config: script(end) })).body.result.id
  },
  'one that was canceled while it spoke': async () => {
    const { id } = await play([{ message: 'a b c d e', delta_ms: 60 }, asleep], background)
    await until(async () => (await get(id)).output.length === 1)
    await act(id, 'cancel')
    return id
  },
  'one that was canceled with its child': async () => {
    const session_id = 'with-its-child'
    const { id } = await play([child({ message: 'a' }, asleep)], { ...background, session_id })
    const family = () => api('GET', `/tasks?session_id=${session_id}&include_subtasks=true`)
    await until(async () => (await (await family()).text()).includes('parent_task_id'))
    await act(id, 'cancel')
    return id
  },
  'one that a stop tool ended': async () => (await play([sum, end], { stop_tools: ['calculator'] })).id,
  'one that was judged': async () => {
    const { id } = await play([sum, end])
    await act(id, 'reward', { value: 1, name: 'n', data: { x: 1 } })
    return id
  },
  'one with secrets': async () =>
    (await play([sum, end], { env: { KEY: 'hush' }, history_messages: [result('c', 'x')] })).id,
}

const hashes = new Set<string>()
for (const [name, make] of Object.entries(shapes)) {
  t.test(`${name}: everything that is said of it is one`, async t => {
    const id = await make()
    await holds(t, tasks, id)
    const { status, body, headers } = await act(id, 'replay')
    t.equal(status, 200)
    t.match(headers.get('content-type'), 'application/json')
    t.same(Object.keys(body), ['task_id', 'events', 'state_hash', 'matches', 'mismatches'])
    t.match(body, { task_id: id, events: Number, state_hash: /./, matches: true, mismatches: [] })
    const { state_hash } = body as unknown as { state_hash: string }
    t.notOk(hashes.has(state_hash), 'another task, another hash')
    hashes.add(state_hash)
    t.same((await act(id, 'replay')).body, body, 'again it says the same')
  })
}

t.test('a replay stores nothing and starts nothing', async t => {
  const task = await play([sum, child({ message: 'b' }), end])
  const before = await (await api('GET', '/tasks?limit=100&include_subtasks=true')).text()
  const { body } = await act(task.id, 'replay')
  t.same((await act(task.id, 'replay')).body, body)
  const after = await (await api('GET', '/tasks?limit=100&include_subtasks=true')).text()
  t.same(
    (JSON.parse(after) as { result: AgentTask[] }).result,
    (JSON.parse(before) as { result: AgentTask[] }).result,
  )
})

t.test('the hash changes with the task', async t => {
  const task = await play([{ pause: 'look' }, end])
  const one = (await act(task.id, 'replay')).body as unknown as { state_hash: string }
  await act(task.id, 'resume')
  await becomes(task.id, 'completed')
  const two = (await act(task.id, 'replay')).body as unknown as { state_hash: string }
  t.not(one.state_hash, two.state_hash)
})

t.test('what is not there, or was deleted, has no replay', async t => {
  t.match(await act('nothing', 'replay'), { status: 404, body: { code: -32001 } })
  const { id } = await play([end])
  await read(api('DELETE', `/tasks/${id}`))
  t.match(await act(id, 'replay'), { status: 404, body: { code: -32001 } })
})

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
