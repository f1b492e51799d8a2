// Tools that the client has: the task waits for their results, wherever they come in.
import t from 'tap'
import { brief, read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { type AgentTask, callId, callsOf, holds, outline, tasksOf, textsOf, tool } from './agent-tasks.ts'

const { api, lines, system } = await serveHere(t)
const tasks = tasksOf(api)
const { play, get, answer, act, frames, becomes, post } = tasks

const ask = { tool: 'ask', arguments: { q: 'who?' } }
const both = { tools: [ask, { tool: 'tell', arguments: {} }] }
const client_tools = [tool('ask'), tool('tell')]
const said = { message: 'heard: $result' }
const waiting = (steps: object[] = [ask, said], more: object = {}) => play(steps, { client_tools, ...more })
const bare = (answered: { body: unknown }) => answered.body as AgentTask

t.test('a call of a client tool makes the task wait, and says for what', async t => {
  const task = await waiting()
  t.equal(task.status, 'input-required')
  t.match(task.output, [
    {
      type: 'tool_call',
      id: /^tc_./,
      call_id: /^call_./,
      name: 'ask',
      arguments: '{"q":"who?"}',
      status: 'completed',
    },
  ])
  t.same(task.input_required, task.output[0])
  t.same(task.metadata?.pending_inputs, task.output)
  t.type(task.metadata?.expires_at, 'number')
  t.same(await get(task.id), task)
  const told = await frames(task.id)
  t.same(told.at(-1), {
    type: 'task.input_required',
    sequence_number: told.length - 1,
    task_id: task.id,
    timestamp: told.at(-1)?.timestamp,
    input_required: task.output[0],
    task,
  })
  await holds(t, tasks, task.id)
})

t.test('its answer is an item of the output, seen by the next step', async t => {
  const task = await waiting()
  const blocks = [{ type: 'chart', points: [1, 2] }]
  const sent = { call_id: callId(task), message_content: 'me', block_list: blocks }
  const { status, body } = await answer(task.id, sent)
  t.equal(status, 200)
  t.match(body, { object: 'task', id: task.id, status: /working|completed/ }, 'the bare task')
  const done = await becomes(task.id, 'completed')
  t.same(outline(done), ['tool_call ask completed', 'tool_result completed', 'message completed'])
  t.match(done.output[1], { id: /^tr_./, call_id: callId(task), message_content: 'me', block_list: blocks })
  t.same(textsOf(done), ['heard: me'])
  t.notOk(done.input_required)
  t.notOk(done.metadata?.pending_inputs)
  const { frames: told } = await holds(t, tasks, task.id)
  const types = told.map(({ type }) => type)
  t.same(types.slice(types.indexOf('task.input_required'), types.indexOf('task.working', 2) + 1), [
    'task.input_required',
    'task.output_item.added',
    'task.tool_result.done',
    'task.output_item.done',
    'task.working',
  ])
})

t.test('a result may be content items, and is given back as it was', async t => {
  const task = await waiting()
  const content = [{ type: 'input_text', text: 'a', tags: ['t'] }, 'b']
  await answer(task.id, { call_id: callId(task), message_content: content })
  t.same((await becomes(task.id, 'completed')).output[1]?.message_content, content)
})

t.test('several calls are answered one after the other, the oldest is the one asked for', async t => {
  const task = await waiting([both, said])
  const [first, second] = callsOf(task)
  t.equal(new Set(callsOf(task).map(({ call_id }) => call_id)).size, 2)
  t.same(task.input_required, first)
  t.same(task.metadata?.pending_inputs, [first, second])
  const half = bare(await answer(task.id, { call_id: callId(task), message_content: '1' }))
  t.equal(half.status, 'input-required')
  t.same(half.input_required, second)
  t.same(half.metadata?.pending_inputs, [second])
  t.same(await get(task.id), half)
  const resumed = await act(task.id, 'resume')
  t.equal(resumed.status, 400)
  t.match(resumed.body, { code: -32021, data: { missing_call_ids: [callId(task, 1)] } })
  await answer(task.id, { call_id: callId(task, 1), message_content: '2' })
  t.same(textsOf(await becomes(task.id, 'completed')), ['heard: 2'])
  await holds(t, tasks, task.id)
})

t.test('the younger call may be answered first', async t => {
  const task = await waiting([both, said])
  const half = bare(await answer(task.id, { call_id: callId(task, 1), message_content: '2' }))
  t.same(half.input_required, callsOf(task)[0])
  await answer(task.id, { call_id: callId(task), message_content: '1' })
  const done = await becomes(task.id, 'completed')
  t.same(
    done.output.slice(2, 4).map(({ call_id }) => call_id),
    [callId(task, 1), callId(task)],
    'in the order in which they came',
  )
  await holds(t, tasks, task.id)
})

t.test('all at once, in any order', async t => {
  const task = await waiting([both, said])
  const { status } = await answer(
    task.id,
    { call_id: callId(task, 1), message_content: '2' },
    { call_id: callId(task), message_content: '1' },
  )
  t.equal(status, 200)
  t.equal((await becomes(task.id, 'completed')).output.length, 5)
})

t.test('a server-side call beside it has its result before the task waits', async t => {
  const task = await waiting([
    { tools: [ask, { tool: 'calculator', arguments: { expression: '6*7' } }, { tool: 'nobody' }] },
    said,
  ])
  t.equal(task.status, 'input-required')
  t.same(outline(task).slice(0, 3), [
    'tool_call ask completed',
    'tool_call calculator completed',
    'tool_call nobody completed',
  ])
  t.same(
    new Set(outline(task).slice(3)),
    new Set(['tool_result completed', 'tool_result incomplete']),
    'one has its result, one its refusal',
  )
  t.same(task.metadata?.pending_inputs, [task.output[0]])
  await answer(task.id, { call_id: callId(task), message_content: 'me' })
  t.same(textsOf(await becomes(task.id, 'completed')), ['heard: me'])
  await holds(t, tasks, task.id)
})

t.test('a call that does not wait for an answer is named with its place, and nothing is written', async t => {
  const task = await waiting([both, { tool: 'calculator', arguments: { expression: '1' } }])
  const before = await frames(task.id)
  const good = { call_id: callId(task), message_content: '1' }
  const bad = { call_id: 'call_unknown', message_content: '2' }
  const { status, body } = await answer(task.id, good, bad, { ...bad, call_id: 'call_other' })
  t.equal(status, 422)
  t.same(
    body.detail.map(({ loc }) => loc),
    [
      ['body', 'tool_results', 1, 'call_id'],
      ['body', 'tool_results', 2, 'call_id'],
    ],
  )
  t.same(await frames(task.id), before)
  await answer(task.id, good, { ...bad, call_id: callId(task, 1) })
  const done = await becomes(task.id, 'completed')
  const own = callsOf(done).find(({ name }) => name === 'calculator')
  t.match(
    await answer(task.id, { call_id: own?.call_id, message_content: 'mine' }),
    { status: 400, body: { code: -32022 } },
    'the result of a server-side call is a result, too',
  )
})

t.test('the same answer again is 200, another one is -32022', async t => {
  const task = await waiting([both, said])
  const first = { call_id: callId(task), message_content: [{ type: 'text', text: '1' }], block_list: [] }
  const one = await answer(task.id, first)
  const two = await answer(task.id, first)
  t.match(two, { status: 200 })
  t.same(two.body, one.body)
  t.match(await answer(task.id, { ...first, block_list: null }), { status: 200 }, 'no blocks are no blocks')
  t.match(
    await answer(task.id, { ...first, message_content: [{ text: '1', type: 'text' }] }),
    { status: 200 },
    'the order of keys is nothing in JSON',
  )
  for (const other of [{ message_content: '1' }, { block_list: [{ type: 'x' }] }, { message_content: '' }]) {
    const { status, body } = await answer(task.id, { ...first, ...other })
    t.equal(status, 400)
    t.match(body, { code: -32022, data: { call_id: callId(task) } })
  }
  await answer(task.id, { call_id: callId(task, 1), message_content: '2' })
  const done = await becomes(task.id, 'completed')
  t.match(await answer(task.id, first), { status: 200, body: { status: 'completed' } }, 'also at the end')
  t.match(await answer(task.id, { ...first, message_content: 'no' }), { status: 400, body: { code: -32022 } })
  t.same(await get(task.id), done)
  await holds(t, tasks, task.id)
})

t.test('two answers to one call in one request must be one', async t => {
  const task = await waiting()
  const one = { call_id: callId(task), message_content: '1' }
  t.match(await answer(task.id, one, { ...one, message_content: '2' }), {
    status: 400,
    body: { code: -32022 },
  })
  t.equal((await get(task.id)).status, 'input-required')
  t.match(await answer(task.id, one, one), { status: 200 })
  t.equal((await becomes(task.id, 'completed')).output.length, 3)
})

t.test('of many that answer at once one is first, and all others hear of it', async t => {
  const task = await waiting()
  const codes = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const { status, body } = await answer(task.id, { call_id: callId(task), message_content: `${n % 3}` })
      return `${status} ${(body as { code?: number }).code}`
    }),
  )
  const done = await becomes(task.id, 'completed')
  t.same(new Set(codes), new Set(['200 undefined', '400 -32022']))
  t.equal(codes.filter(code => code.startsWith('200')).length, 4, 'those that said the same')
  t.equal(done.output.length, 3)
})

t.test('a body that is no list of results is refused with its place', async t => {
  const task = await waiting()
  const bodies: [unknown, string[]][] = [
    [{}, ['body tool_results missing']],
    [{ tool_results: [] }, ['body tool_results too_short']],
    [{ tool_results: {} }, ['body tool_results list_type']],
    [
      { tool_results: [{}] },
      ['body tool_results 0 call_id missing', 'body tool_results 0 message_content missing'],
    ],
    [
      { tool_results: [{ call_id: callId(task), message_content: 'x', block_list: [{}] }] },
      ['body tool_results 0 block_list 0 type missing'],
    ],
  ]
  for (const [sent, problems] of bodies) {
    const { status, body } = await act(task.id, 'input', sent)
    t.equal(status, 422, JSON.stringify(sent))
    t.same(brief(body.detail).sort(), problems)
  }
  t.match(await answer('nothing', { call_id: 'c', message_content: 'x' }), {
    status: 404,
    body: { code: -32001 },
  })
  t.same(await get(task.id), task)
})

t.test('a task that waits can be canceled and deleted, and takes no answer then', async t => {
  const task = await waiting()
  const late = { call_id: callId(task), message_content: 'late' }
  t.match(await act(task.id, 'cancel'), { status: 200, body: { status: 'canceled' } })
  const canceled = await get(task.id)
  t.notOk(canceled.input_required)
  t.notOk(canceled.metadata?.pending_inputs)
  const { status, body } = await answer(task.id, late)
  t.equal(status, 400)
  t.match(body, { code: -32020, data: { status: 'canceled' } })
  await holds(t, tasks, task.id)
  t.equal((await api('DELETE', `/tasks/${task.id}`)).status, 200)
  t.match(await answer(task.id, late), { status: 404, body: { code: -32001 } })
  const other = await waiting()
  t.match(await read(api('DELETE', `/tasks/${other.id}`)), {
    status: 200,
    body: { result: { status: 'canceled' } },
  })
})

t.test('pause is no move from there, and a waiting task frees its session', async t => {
  const session_id = 'freed'
  const task = await waiting([ask, said], { session_id })
  t.match(await act(task.id, 'pause'), { status: 400, body: { code: -32020 } })
  const next = await post({ client_id: 'echo', session_id })
  t.match(next.body.result, { status: 'completed', previous_task_id: task.id })
  const busy = await play([{ sleep_ms: 60_000 }], { session_id, background: true })
  t.equal(busy.status, 'working')
  await answer(task.id, { call_id: callId(task), message_content: 'me' })
  t.same(textsOf(await becomes(task.id, 'completed')), ['heard: me'], 'it goes on beside another')
  await act(busy.id, 'cancel')
})

t.test('arguments that do not fit the schema never reach the client', async t => {
  const parameters = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] }
  const task = await play([{ tool: 'ask', arguments: { q: 1 } }, { message: '$result' }], {
    client_tools: [tool('ask', parameters)],
  })
  t.equal(task.status, 'completed')
  t.same(outline(task), ['tool_call ask completed', 'tool_result incomplete', 'message completed'])
  t.match(textsOf(task)[0], /./, 'with a reason')
  t.equal((await play([ask], { client_tools: [tool('ask', parameters)] })).status, 'input-required')
})

t.test('a client tool takes the place of one of ours that has its name', async t => {
  const task = await play([{ tool: 'calculator', arguments: { anything: 1 } }, said], {
    client_tools: [tool('calculator')],
  })
  t.equal(task.status, 'input-required')
})

t.test('a call may be answered before its task waits, while others of its turn run', async t => {
  const slow = { tool: 'agent_script', arguments: { input: '[{"sleep_ms":200},{"message":"slow"}]' } }
  for (const tools of [
    [ask, slow],
    [ask, { tool: 'tell' }, slow],
  ]) {
    const task = await waiting([{ tools }, { message: 'on' }], { background: true })
    await until(async () => (await get(task.id)).output.length >= tools.length)
    const id = callId(await get(task.id))
    const early = await answer(task.id, { call_id: id, message_content: 'at once' })
    t.match(early, { status: 200, body: { status: 'working' } })
    const rested = await becomes(task.id, 'completed', 'input-required')
    if (tools.length === 2) t.equal(rested.status, 'completed', 'it never had to wait')
    else t.same(rested.metadata?.pending_inputs, [rested.output[1]], 'it waits for the other one')
    await holds(t, tasks, task.id)
    if (rested.status === 'input-required') await act(task.id, 'cancel')
  }
})

t.test('a pause that was asked for comes before the wait, and answers are taken meanwhile', async t => {
  const slow = { tool: 'agent_script', arguments: { input: '[{"sleep_ms":150},{"message":"slow"}]' } }
  const made = await waiting([{ tools: [ask, slow] }, { message: 'on' }], { background: true })
  await until(async () => (await get(made.id)).output.length >= 2)
  t.match(await act(made.id, 'pause'), { status: 200, body: { status: 'working' } })
  const paused = await becomes(made.id, 'paused', 'input-required')
  t.equal(paused.status, 'paused')
  t.match(await act(made.id, 'resume'), { status: 200, body: { status: 'input-required' } })
  const late = { call_id: callId(paused), message_content: 'me' }
  t.match(await answer(made.id, late), { status: 200 })
  t.equal((await becomes(made.id, 'completed')).output.length, 5)
  await holds(t, tasks, made.id)
})

t.test('a resume of a task that waits is refused and names every call that it waits for', async t => {
  const task = await waiting([both, said])
  const { status, body } = await act(task.id, 'resume')
  t.equal(status, 400)
  t.match(body, { code: -32021, data: { missing_call_ids: [callId(task), callId(task, 1)] } })
  t.same(await get(task.id), task)
})

t.test('a body beyond 1 MiB is refused: only creates may be larger', async t => {
  const task = await waiting()
  const long = 'x'.repeat(1024 * 1024)
  const input = await answer(task.id, { call_id: callId(task), message_content: long })
  t.match(input, { status: 413, body: { code: -32600 } })
  t.match(await act(task.id, 'messages', { content: long }), { status: 413, body: { code: -32600 } })
  t.match(await act(task.id, 'reward', { value: 1, data: long }), { status: 413, body: { code: -32600 } })
  t.same(await get(task.id), task)
})

t.test('a wrong method is told with the right ones', async t => {
  const { id } = await waiting()
  for (const [method, where, allow] of [
    ['GET', 'input', 'POST'],
    ['PUT', 'messages', 'POST'],
    ['DELETE', 'reward', 'POST'],
    ['GET', 'replay', 'POST'],
    ['POST', 'rollouts', 'GET, HEAD'],
    ['POST', 'machine', 'GET, HEAD'],
  ] as const) {
    const { status, body, headers } = await read(api(method, `/tasks/${id}/${where}`))
    t.equal(status, 405, where)
    t.match(body, { code: -32601 })
    t.equal(headers.get('allow'), allow)
  }
})

t.test('who answered, and when, is in the log', async t => {
  const made = await read(api('POST', '/auth/tokens', { role: 'user', user_id: 'default' }))
  const { token, id } = made.body as unknown as { token: string; id: string }
  const task = await waiting([both, said])
  const auth = { authorization: `Bearer ${token}` }
  const first = { tool_results: [{ call_id: callId(task), message_content: '1' }] }
  t.equal((await act(task.id, 'input', first, auth)).status, 200)
  await answer(task.id, { call_id: callId(task, 1), message_content: '2' })
  await becomes(task.id, 'completed')
  const accepted: { by: unknown; time: string; call_id: string }[] = []
  for await (const page of system.log.readStream(`task-${task.id}`)) {
    for (const { header, data } of page) {
      if (header.type !== 'InputAccepted') continue
      const { by, item } = data as { by: string; item: { call_id: string } }
      accepted.push({ by, time: header.time, call_id: item.call_id })
    }
  }
  t.match(accepted, [
    { by: id, time: /Z$/, call_id: callId(task) },
    { by: 'admin', time: /Z$/, call_id: callId(task, 1) },
  ])
})

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
