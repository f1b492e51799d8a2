// Results of client tools that come in with a create: of the task that waits, or of the next one of its session.
import t from 'tap'
import { idsOf, read, until } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { dataLines, decode } from '../support/sse.ts'
import {
  type AgentTask,
  callId,
  callsOf,
  holds,
  outline,
  result,
  script,
  tasksOf,
  textsOf,
  tool,
} from './agent-tasks.ts'

const { api, url, lines, system } = await serveHere(t)
const tasks = tasksOf(api)
const { play, get, answer, frames, becomes, post, stream, act } = tasks
const replayed = 'idempotency-replayed'
const again = { 'x-stainless-retry-count': '1' }

const ask = { tool: 'ask', arguments: { q: 'who?' } }
const both = { tools: [ask, { tool: 'tell' }] }
const client_tools = [tool('ask'), tool('tell')]
const said = { message: 'heard: $result' }
let sessions = 0
const waiting = (steps: object[] = [ask, said], more: object = {}) =>
  play(steps, { client_tools, session_id: `s${++sessions}`, ...more })
/** A create with results of calls of a task. */
const bringing = (task: AgentTask, ...history_messages: object[]) => ({
  user_message_content: '',
  stream: false,
  session_id: task.session_id,
  history_messages,
})
const countOf = async ({ session_id }: AgentTask): Promise<number> =>
  idsOf(await read(api('GET', `/tasks?session_id=${session_id}&limit=100`))).length

for (const empty of ['', []]) {
  t.test(`with its task_id the waiting task goes on; the user said ${JSON.stringify(empty)}`, async t => {
    const task = await waiting()
    const sent = {
      ...bringing(task, result(callId(task), 'me')),
      task_id: task.id,
      user_message_content: empty,
    }
    const { status, body, headers } = await post({ ...sent, request_id: 'of the answer' })
    t.equal(status, 200)
    t.equal(body.id, 'of the answer')
    t.equal(headers.get('x-request-id'), 'of the answer')
    t.match(body.result, { id: task.id, status: 'completed' }, 'it blocks until the end')
    t.same(outline(body.result), ['tool_call ask completed', 'tool_result completed', 'message completed'])
    t.same(textsOf(body.result), ['heard: me'])
    t.equal(await countOf(task), 1, 'no new task')
    await holds(t, tasks, task.id)
  })
}

t.test('what the user says with it is seen by the agent', async t => {
  const task = await waiting([ask, said], { client_id: 'x' })
  const sent = {
    ...bringing(task, result(callId(task), 'me')),
    task_id: task.id,
    user_message_content: 'and so',
  }
  t.equal((await post(sent)).body.result.status, 'completed')
  const entries = await read(api('GET', `/tasks/${task.id}/rollouts`))
  const last = (entries.body.result as unknown as { turn: number; input_messages: object[] }[]).at(-1)
  t.match(last?.input_messages.slice(-2), [
    { type: 'tool_result', message_content: 'me' },
    { type: 'message', role: 'user', message_content: 'and so' },
  ])
  t.equal(last?.turn, 2)
  await holds(t, tasks, task.id)
})

t.test('without a text the results are answered though the call was the last step', async t => {
  const task = await waiting([ask])
  const sent = { ...bringing(task, result(callId(task), 'me')), task_id: task.id }
  const { body } = await post(sent)
  t.match(body.result, { status: 'completed' })
  t.same(outline(body.result), ['tool_call ask completed', 'tool_result completed'])
})

t.test('a blocking answer comes when the task waits again', async t => {
  const task = await waiting([ask, { tool: 'tell' }, said])
  const { body } = await post({ ...bringing(task, result(callId(task), '1')), task_id: task.id })
  const second = body.result as AgentTask
  t.match(second, { id: task.id, status: 'input-required', input_required: { name: 'tell' } })
  const all = [...second.output.slice(0, 2), result(callId(second, 1), '2')]
  const done = (await post({ ...bringing(task, ...all), task_id: task.id })).body.result
  t.match(done, { status: 'completed' }, 'a result given already is plain history')
  t.same(textsOf(done), ['heard: 2'])
  await holds(t, tasks, task.id)
})

t.test('in the background the answer is the task as it goes on', async t => {
  const task = await waiting([ask, { sleep_ms: 100 }, said])
  const sent = { ...bringing(task, result(callId(task), 'me')), task_id: task.id, background: true }
  t.match((await post(sent)).body.result, { id: task.id, status: 'working' })
  t.equal((await becomes(task.id, 'completed')).output.length, 3)
})

t.test('streamed, it begins with the first frame after the answer was accepted', async t => {
  const task = await waiting([ask, said], { request_id: 'of the create' })
  const before = await frames(task.id)
  const sent = { ...bringing(task, result(callId(task), 'me')), task_id: task.id }
  const told = await stream({ ...sent, stream: true, request_id: 'of the answer' })
  const text = await told.rest()
  t.equal(told.response.headers.get('x-task-id'), task.id)
  t.equal(told.response.headers.get('content-location'), `/v1/tasks/${task.id}`)
  const [first] = told.frames()
  t.match(first, { type: 'task.working', sequence_number: before.length + 3 })
  t.equal(told.frames().at(-1)?.type, 'task.completed')
  t.same(
    [...new Set(decode(text).events.map(({ data }) => JSON.parse(data).id))],
    ['of the answer'],
    'its envelope id is its own',
  )
  t.notMatch(text, /^id:/m)
  const all = await frames(task.id)
  t.same(told.frames(), all.slice(first?.sequence_number))
  const whole = await (
    await api('GET', `/tasks/${task.id}/events`, undefined, { accept: 'text/event-stream' })
  ).text()
  t.same([...new Set(decode(whole).events.map(({ data }) => JSON.parse(data).id))], ['of the create'])
  await holds(t, tasks, task.id)
})

t.test('streamed, it ends when the task waits again', async t => {
  const task = await waiting([ask, { tool: 'tell' }])
  const sent = { ...bringing(task, result(callId(task), 'me')), task_id: task.id }
  const told = await stream({ ...sent, stream: true })
  await told.rest()
  t.equal(told.frames()[0]?.type, 'task.working')
  t.equal(told.frames().at(-1)?.type, 'task.input_required')
})

t.test('streamed, the answer to a task that stays paused ends at once', async t => {
  const slow = { tool: 'agent_script', arguments: { input: '[{"sleep_ms":150},{"message":"slow"}]' } }
  const made = await waiting([{ tools: [ask, slow] }, said], { background: true })
  await until(async () => (await get(made.id)).output.length >= 2)
  await act(made.id, 'pause')
  const task = await becomes(made.id, 'paused')
  const sent = { ...bringing(task, result(callId(task), 'me')), task_id: task.id, stream: true }
  for (const which of ['the answer', 'the same answer again']) {
    const told = await stream(sent)
    await told.rest()
    t.same(told.frames(), [], which)
  }
  t.equal((await get(task.id)).status, 'paused')
  await act(task.id, 'resume')
  await becomes(task.id, 'completed')
  await holds(t, tasks, task.id)
})

t.test('a part of the results is -32021, and nothing is written', async t => {
  const task = await waiting([both, said])
  const before = await frames(task.id)
  const head = system.log.head()
  for (const more of [{ task_id: task.id }, {}]) {
    for (const asStream of [false, true]) {
      const sent = { ...bringing(task, result(callId(task), '1')), ...more, stream: asStream }
      const { status, body } = await read(api('POST', '/tasks', { ...sent, request_id: 'r' }))
      t.equal(status, 400)
      t.match(body, {
        jsonrpc: '2.0',
        id: 'r',
        error: { code: -32021, data: { missing_call_ids: [callId(task, 1)] } },
      })
    }
  }
  t.equal(system.log.head(), head, 'not one event')
  t.same(await frames(task.id), before)
  t.equal(await countOf(task), 1)
})

t.test('what was answered in parts before need not be brought again', async t => {
  for (const whole of [false, true]) {
    const task = await waiting([both, said])
    await answer(task.id, { call_id: callId(task), message_content: '1' })
    const rest = [...(whole ? [result(callId(task), '1')] : []), result(callId(task, 1), '2')]
    const { body } = await post({ ...bringing(task, ...rest), task_id: task.id })
    t.match(body.result, { id: task.id, status: 'completed' })
    t.equal(body.result.output.length, 5)
  }
})

t.test('a repeated answer finds the task as it is; a different one is -32022', async t => {
  const task = await waiting([ask, { sleep_ms: 50 }, said])
  const sent = { ...bringing(task, result(callId(task), 'me')), task_id: task.id }
  const answers = await Promise.all([post(sent), post(sent), post(sent, again)])
  for (const { status, body } of answers) {
    t.equal(status, 200)
    t.match(body.result, { id: task.id, status: 'completed' })
  }
  t.equal((await get(task.id)).output.length, 3)
  const late = await post(sent)
  t.same(late.body.result, await get(task.id))
  const streamed = await stream({ ...sent, stream: true })
  await streamed.rest()
  t.equal(streamed.frames()[0]?.type, 'task.working', 'a repeated stream begins where the first did')
  t.equal(streamed.frames().at(-1)?.type, 'task.completed')
  const other = await post({ ...sent, history_messages: [result(callId(task), 'you')] })
  t.match(other, { status: 400, body: { error: { code: -32022 } } })
  t.equal(await countOf(task), 1)
})

t.test('an answer keeps its Idempotency-Key for itself', async t => {
  const task = await waiting()
  const key = { 'idempotency-key': 'of an answer' }
  const sent = { ...bringing(task, result(callId(task), 'me')), task_id: task.id }
  t.equal((await post(sent, key)).body.result.status, 'completed')
  t.equal((await post(sent, key)).body.result.id, task.id)
  const other = await post({ client_id: 'echo' }, key)
  t.match(other, { status: 409, body: { error: { code: -32023 } } }, 'same key, other body')
  t.equal(other.headers.get('x-should-retry'), 'false')
})

t.test('two results of one call in one create must be one', async t => {
  const task = await waiting()
  const two = [result(callId(task), 'me'), result(callId(task), 'you')]
  for (const more of [{ task_id: task.id }, {}]) {
    const { status, body } = await post({ ...bringing(task, ...two), client_id: 'echo', ...more })
    t.equal(status, 400)
    t.match(body, { error: { code: -32022 } })
  }
  t.same(await get(task.id), task)
})

t.test("another user's task is not there, whatever is brought for it", async t => {
  const made = await read(api('POST', '/auth/tokens', { role: 'user', user_id: 'bob' }))
  const bob = apiOf(url, (made.body as unknown as { token: string }).token)
  const task = await waiting()
  const sent = { ...bringing(task, result(callId(task), 'mine')), task_id: task.id }
  for (const asStream of [false, true]) {
    const { status, body } = await read(bob('POST', '/tasks', { ...sent, stream: asStream }))
    t.equal(status, 404)
    t.match(body, { error: { code: -32001 } })
  }
  const elsewhere = await read(bob('POST', '/tasks', { ...bringing(task, result(callId(task), 'mine')) }))
  t.match(elsewhere, { status: 200, body: { result: { user_id: 'bob', status: 'completed' } } })
  t.notOk(elsewhere.body.result.previous_task_id, 'the same name, another session')
  const tried = { tool_results: [{ call_id: callId(task), message_content: 'mine' }] }
  const input = await read(bob('POST', `/tasks/${task.id}/input`, tried))
  t.match(input, { status: 404, body: { code: -32001 } })
  t.same(await get(task.id), task)
})

t.test('without a task_id a new task takes over, and the waiting one is done', async t => {
  const task = await waiting([ask, said])
  const sent = {
    ...bringing(
      task,
      { type: 'message', role: 'user', message_content: 'earlier' },
      result(callId(task), 'me'),
    ),
    user_message_content: 'go on',
    agent_config: script(said),
  }
  const { status, body } = await post(sent)
  t.equal(status, 200)
  const next = body.result as AgentTask
  t.match(next, { status: 'completed', previous_task_id: task.id, session_id: task.session_id })
  t.not(next.id, task.id)
  const over = await get(task.id)
  t.match(over, { status: 'completed', metadata: { continued_by: next.id } })
  t.notOk(over.input_required)
  t.notOk(over.metadata?.pending_inputs)
  t.same(outline(over), ['tool_call ask completed', 'tool_result completed'], 'and ran no step for it')
  t.same(textsOf(next), ['heard: me'])
  const types = (await frames(task.id)).map(({ type }) => type)
  t.same(types.slice(types.indexOf('task.input_required')), [
    'task.input_required',
    'task.output_item.added',
    'task.tool_result.done',
    'task.output_item.done',
    'task.working',
    'task.completed',
  ])
  await holds(t, tasks, task.id)
  await holds(t, tasks, next.id)
})

t.test('its agent sees what the task before it saw, and the result once', async t => {
  const task = await waiting([{ message: 'one moment' }, ask, said])
  const history = [result(callId(task), 'me')]
  const { body } = await post({
    ...bringing(task, ...history),
    user_message_content: 'go',
    client_id: 'echo',
  })
  const entries = await read(api('GET', `/tasks/${body.result.id}/rollouts`))
  const [entry] = entries.body.result as unknown as { input_messages: { type: string; call_id: string }[] }[]
  const seen = entry?.input_messages ?? []
  t.same(
    seen.map(({ type }) => type),
    ['message', 'message', 'tool_call', 'tool_result', 'message'],
  )
  t.same(
    seen.slice(2, 4).map(({ call_id }) => call_id),
    [callId(task), callId(task)],
  )
})

t.test('a new task may stream, from its own beginning', async t => {
  const task = await waiting()
  const sent = { ...bringing(task, result(callId(task), 'me')), agent_config: script(said) }
  const told = await stream({ ...sent, stream: true, user_message_content: 'go' })
  const text = await told.rest()
  const id = told.response.headers.get('x-task-id') ?? ''
  t.not(id, task.id)
  t.match(told.frames()[0], { type: 'task.created', sequence_number: 0, task: { previous_task_id: task.id } })
  await holds(t, tasks, id, text)
})

t.test('a new task may have to queue, the waiting one is done all the same', async t => {
  const task = await waiting()
  const { session_id } = task
  const busy = await play([{ sleep_ms: 60_000 }], { session_id, background: true })
  const sent = { ...bringing(task, result(callId(task), 'me')), agent_config: script(said), background: true }
  const next = (await post(sent)).body.result
  t.equal(next.status, 'queued')
  t.match(await get(task.id), { status: 'completed', metadata: { continued_by: next.id } })
  await act(busy.id, 'cancel')
  t.same(textsOf(await becomes(next.id, 'completed')), ['heard: me'])
  await holds(t, tasks, next.id)
})

t.test('a key or a retry makes one new task', async t => {
  for (const headers of [{ 'idempotency-key': 'takes over' }, again]) {
    const task = await waiting()
    const sent = {
      ...bringing(task, result(callId(task), 'me')),
      client_id: 'echo',
      user_message_content: 'go',
    }
    const first = await post(sent, 'idempotency-key' in headers ? headers : {})
    const second = await post(sent, headers)
    t.equal(second.body.result.id, first.body.result.id)
    t.equal(second.headers.get(replayed), 'true')
    t.equal(await countOf(task), 2)
  }
  const task = await waiting()
  const sent = { ...bringing(task, result(callId(task), 'me')), client_id: 'echo' }
  const key = { 'idempotency-key': 'at once' }
  const raced = await Promise.all(Array.from({ length: 5 }, () => post(sent, key)))
  t.equal(new Set(raced.map(({ body }) => body.result.id)).size, 1)
  t.equal(await countOf(task), 2)
})

t.test(
  'of two that bring the same results at once one takes over, for the other they are history',
  async t => {
    const task = await waiting()
    const sent = {
      ...bringing(task, result(callId(task), 'me')),
      client_id: 'echo',
      user_message_content: 'go',
    }
    const raced = await Promise.all([post(sent), post(sent)])
    t.same(
      raced.map(({ status }) => status),
      [200, 200],
    )
    const ids = raced.map(({ body }) => body.result.id)
    const { metadata } = await get(task.id)
    t.ok(ids.includes(String(metadata?.continued_by)))
    t.equal(new Set(ids).size, 2, 'two creates without a key are two tasks')
  },
)

t.test('results given already, or unknown, are plain history', async t => {
  const task = await waiting()
  const unknown = await post({ ...bringing(task, result('call_of_nobody', 'x')), client_id: 'echo' })
  t.match(unknown, { status: 200, body: { result: { status: 'completed' } } })
  t.same(await get(task.id), task, 'it still waits')
  await answer(task.id, { call_id: callId(task), message_content: 'me' })
  await becomes(task.id, 'completed')
  const late = await post({ ...bringing(task, result(callId(task), 'me')), client_id: 'echo' })
  t.match(late, { status: 200, body: { result: { status: 'completed' } } })
  const different = await post({ ...bringing(task, result(callId(task), 'you')), client_id: 'echo' })
  t.equal(different.status, 200)
  t.notOk((await get(task.id)).metadata?.continued_by)
})

t.test('only results of the same session find the task', async t => {
  const task = await waiting()
  const elsewhere = {
    ...bringing(task, result(callId(task), 'me')),
    session_id: 'elsewhere',
    client_id: 'echo',
  }
  t.equal((await post(elsewhere)).body.result.status, 'completed')
  t.equal((await get(task.id)).status, 'input-required')
})

t.test('a task that waits among others of its session is found by its call', async t => {
  const first = await waiting()
  const second = await waiting([ask, said], { session_id: first.session_id })
  const sent = {
    ...bringing(first, result(callId(first), 'me')),
    client_id: 'echo',
    user_message_content: 'go',
  }
  const { body } = await post(sent)
  t.equal(body.result.previous_task_id, first.id)
  t.equal((await get(first.id)).status, 'completed')
  t.same(await get(second.id), second)
})

t.test('the frames of two creates and what lies between them are one stream', async t => {
  const opened = await stream({
    agent_config: script(ask, said),
    client_tools,
    session_id: 'two-creates',
    request_id: 'r',
  })
  const one = dataLines(await opened.rest())
  const id = opened.response.headers.get('x-task-id') ?? ''
  const task = await get(id)
  const sent = { ...bringing(task, result(callId(task), 'me')), task_id: id, request_id: 'r' }
  const two = dataLines(await (await stream({ ...sent, stream: true })).rest())
  const whole = dataLines(
    await (await api('GET', `/tasks/${id}/events`, undefined, { accept: 'text/event-stream' })).text(),
  )
  t.same([...one, ...whole.slice(one.length, one.length + 3), ...two], whole)
  t.equal(callsOf(await get(id)).length, 1)
})

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})

t.test('a waiting task is not answered under another session: the refusal names both', async t => {
  const task = await waiting()
  const history_messages = [result(callId(task), 'me')]
  const sent = { user_message_content: '', task_id: task.id, history_messages }
  for (const stream of [false, true]) {
    const wrong = await post({ ...sent, session_id: 'another', stream })
    t.equal(wrong.status, 409)
    t.match(wrong.body.error, {
      code: -32023,
      message: `the task ${task.id} belongs to the session "${task.session_id}", not to "another"`,
      data: { task_id: task.id, session_id: task.session_id, given_session_id: 'another' },
    })
    t.equal(wrong.headers.get('x-should-retry'), 'false')
  }
  t.equal((await get(task.id)).status, 'input-required', 'nothing was written')
  t.equal((await post(sent)).body.result.status, 'completed', 'without a session it is answered')
  t.equal((await post({ ...sent, session_id: 'another' })).status, 409, 'nor is the same answer given again')
  const { headers } = await post({ ...sent, session_id: task.session_id })
  t.equal(headers.get(replayed), 'true')
  await holds(t, tasks, task.id)
})
