// Agents called by agents: each is a task of its own.
import t from 'tap'
import { idsOf, read, type TaskJson, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import {
  type AgentTask,
  callsOf,
  holds,
  outline,
  result,
  resultsOf,
  script,
  tasksOf,
  textsOf,
  tool,
} from './agent-tasks.ts'

const { api, lines } = await serveHere(t, { MAX_RUNNING_TASKS: '4' })
const tasks = tasksOf(api)
const { play, get, act, becomes, post, stream, frames } = tasks

/** Its `$result` is written so that the caller's script does not take it for its own. */
const stepsOf = (...steps: object[]) => JSON.stringify(steps).replaceAll('$result', '\\u0024result')
const call = (...steps: object[]) => ({ subagent: 'script', input: stepsOf(...steps) })
const end = { message: 'so: $result' }
const listed = async (query: string) =>
  (await read(api('GET', `/tasks?limit=100&${query}`))).body.result as unknown as AgentTask[]
/** The subagents' tasks of a session, oldest first. */
const childrenIn = async (session_id: string): Promise<AgentTask[]> =>
  (await listed(`session_id=${session_id}&include_subtasks=true&order=asc`)).filter(
    ({ metadata }) => metadata?.parent_task_id !== undefined,
  )
const firstChild = async (session_id: string): Promise<AgentTask> => {
  await until(async () => (await childrenIn(session_id)).length > 0)
  return (await childrenIn(session_id))[0] as AgentTask
}

t.test('the last thing that a subagent says is the result of its call', async t => {
  const task = await play([call({ message: 'first' }, { message: 'last' }, { reasoning: 'well' }), end])
  t.same(outline(task), ['tool_call agent_script completed', 'tool_result completed', 'message completed'])
  t.match(callsOf(task), [
    {
      arguments: JSON.stringify({
        input: call({ message: 'first' }, { message: 'last' }, { reasoning: 'well' }).input,
      }),
    },
  ])
  t.same(textsOf(task), ['so: last'])
  await holds(t, tasks, task.id)
})

t.test('a result is text wherever a script writes it, also in the script of a subagent', async t => {
  const hard = 'say "yes", \\ or\nno'
  const write = { tool: 'write_file', arguments: { path: 'hard.txt', content: hard } }
  const ask = { tool: 'read_file', arguments: { path: 'hard.txt' } }
  const inner = (...steps: object[]) => ({ subagent: 'script', input: JSON.stringify(steps) })
  const whole = textsOf(await play([write, ask, end], { session_id: 'hard-text' }))[0]
  t.equal(whole, `so: ${hard}`)
  const said = async (step: object) => textsOf(await play([ask, step, end], { session_id: 'hard-text' }))
  t.same(await said(inner({ message: 'got $result' })), [`so: got ${hard}`], 'in a script')
  const deep = inner(inner({ message: 'got $result' }), { message: 'OWN' })
  const filledLater = { ...deep, input: deep.input.replace('OWN', '\\u0024result') }
  t.same(await said(filledLater), [`so: got ${hard}`], 'in a script in a script')
  const named = { tool: 'agent_script', arguments: { input: JSON.stringify([{ message: '$result!' }]) } }
  t.same(await said(named), [`so: ${hard}!`], 'by the name of the tool')
  const own = await said(
    call({ tool: 'calculator', arguments: { expression: '1+1' } }, { message: 'own $result' }),
  )
  t.same(own, ['so: own 2'], 'a placeholder written with an escape is the inner script’s own')
})

t.test('it is a task of its own, in the session of its caller, and not listed unless asked for', async t => {
  const session_id = 'one-child'
  const task = await play([{ subagent: 'echo', input: 'hi' }, end], { session_id, user_id: 'u' })
  const [child] = await childrenIn(session_id)
  t.match(child, {
    object: 'task',
    id: /^task_./,
    session_id,
    user_id: 'u',
    status: 'completed',
    metadata: { parent_task_id: task.id },
  })
  t.notOk(child?.previous_task_id)
  t.same(await get(child?.id ?? ''), child, 'found by its id')
  for (const query of [
    '',
    `session_id=${session_id}`,
    'include_subtasks=false',
    'status=completed&user_id=u',
  ])
    t.notOk(
      (await listed(query)).some(({ id }) => id === child?.id),
      query,
    )
  t.same(
    (await listed(`session_id=${session_id}&include_subtasks=true`)).map(({ id }) => id),
    [child?.id, task.id],
  )
  await holds(t, tasks, child?.id ?? '')
  const next = await play([end], { session_id, user_id: 'u' })
  t.equal(next.previous_task_id, task.id, 'a child is nobody to continue')
})

t.test('the next task of the session does not see what a child said to itself', async t => {
  const session_id = 'private'
  await play([call({ message: 'secret thought' }, { message: 'shown' }), end], { session_id })
  const next = await play([end], { session_id })
  const entries = await (await api('GET', `/tasks/${next.id}/rollouts`)).text()
  t.match(entries, /so: shown/)
  t.notMatch(entries, /secret thought"\}/)
})

t.test('usage of subagents is summed in metadata.subagent_usage, its own stays its own', async t => {
  const usage = (n: number) => ({ usage: { input_tokens: n, output_tokens: 2 * n, total_tokens: 3 * n } })
  const task = await play([
    usage(1),
    call(usage(10), call(usage(1000)), usage(20)),
    call(usage(100)),
    { subagent: 'echo', input: 'x' },
    usage(2),
  ])
  t.same(task.usage, { input_tokens: 3, output_tokens: 6, total_tokens: 9 })
  t.same(task.metadata?.subagent_usage, { input_tokens: 1130, output_tokens: 2260, total_tokens: 3390 })
  await holds(t, tasks, task.id)
})

t.test('the usage of a child that fails or is canceled counts, too', async t => {
  const spent = { usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } }
  const task = await play([call(spent, { fail: { code: -32000, message: 'no' } }), end])
  t.match(task.metadata?.subagent_usage, { total_tokens: 2 })
})

t.test('a child that fails gives an incomplete result with the reason, and the caller goes on', async t => {
  const task = await play([call({ message: 'a' }, { fail: { code: -32000, message: 'out of luck' } }), end])
  t.equal(task.status, 'completed')
  t.same(outline(task), ['tool_call agent_script completed', 'tool_result incomplete', 'message completed'])
  t.match(textsOf(task), [/out of luck/])
  await holds(t, tasks, task.id)
})

t.test('an agent that is unknown is a tool that is unknown', async t => {
  for (const subagent of ['nobody', 'Echo', 'agent_echo']) {
    const task = await play([{ subagent, input: 'x' }, end])
    t.equal(task.status, 'completed')
    t.same(outline(task).slice(1), ['tool_result incomplete', 'message completed'])
    t.match(resultsOf(task), [{ message_content: new RegExp(subagent) }])
  }
})

t.test('an agent is a tool that may be called by its name', async t => {
  const task = await play([{ tool: 'agent_echo', arguments: { input: 'hi' } }, end])
  t.same(textsOf(task), ['so: hi'])
  for (const args of [{}, { input: 1 }, { input: ['hi'] }]) {
    const wrong = await play([{ tool: 'agent_echo', arguments: args }, end])
    t.same(outline(wrong).slice(1), ['tool_result incomplete', 'message completed'], JSON.stringify(args))
  }
})

t.test('a script takes its steps from its input, and a list that is none is told to the caller', async t => {
  const bad = [
    '',
    'hello',
    '{}',
    'null',
    '[1]',
    '[{}]',
    '[{"message":1}]',
    '[{"message":"a","sleep_ms":1}]',
    '[{"a":1}]',
    '[',
  ]
  for (const input of bad) {
    const session_id = `bad-${bad.indexOf(input)}`
    const task = await play([{ subagent: 'script', input }, end], { session_id })
    t.equal(task.status, 'completed')
    t.same(outline(task).slice(1), ['tool_result incomplete', 'message completed'], input)
    t.same(await childrenIn(session_id), [], 'no task was made')
  }
  t.same(outline(await play([{ subagent: 'script', input: '[]' }])).slice(1), ['tool_result completed'])
})

t.test('agents call agents as deep as 8, and no deeper', async t => {
  const session_id = 'deep'
  const nested = (depth: number): object =>
    depth === 1 ? call({ message: 'bottom' }) : call(nested(depth - 1), end)
  const fits = await play([nested(8), end], { session_id })
  t.equal(fits.status, 'completed')
  t.match(textsOf(fits)[0], /^(so: )+bottom$/)
  const chain = await childrenIn(session_id)
  t.equal(chain.length, 8)
  t.same(
    chain.map(({ metadata }) => metadata?.parent_task_id),
    [fits.id, ...chain.slice(0, -1).map(({ id }) => id)],
  )
  const tooDeep = await play([nested(9), end], { session_id: 'deeper' })
  t.equal(tooDeep.status, 'completed', 'it is a result like any other')
  t.notMatch(textsOf(tooDeep)[0], /bottom/)
  t.equal((await childrenIn('deeper')).length, 8)
})

t.test('children of one turn work side by side', async t => {
  const session_id = 'side-by-side'
  const one = { tool: 'agent_script', arguments: { input: JSON.stringify([{ sleep_ms: 60_000 }]) } }
  const task = await play([{ tools: [one, one, one, one, one, one] }, end], { session_id, background: true })
  await until(async () => (await childrenIn(session_id)).length === 6)
  t.ok(
    (await childrenIn(session_id)).every(({ status }) => status === 'working'),
    'more than MAX_RUNNING_TASKS',
  )
  const other = await post({ client_id: 'echo', background: true })
  await becomes(other.body.result.id, 'completed')
  t.match(await act(task.id, 'cancel'), { body: { status: 'canceled' } })
})

t.test('a child takes no place: its session is free when its caller is done, and not before', async t => {
  const session_id = 'places'
  const task = await play([call({ sleep_ms: 150 }), end], { session_id, background: true })
  await firstChild(session_id)
  const next = await post({ client_id: 'echo', session_id, background: true })
  t.equal(next.body.result.status, 'queued')
  await becomes(next.body.result.id, 'completed')
  t.equal((await get(task.id)).status, 'completed')
  t.ok((await childrenIn(session_id)).every(({ status }) => status === 'completed'))
})

t.test('a cancel of the caller reaches all that it called, however deep', async t => {
  const session_id = 'canceled-from-above'
  const task = await play([call(call({ message: 'a' }, { sleep_ms: 60_000 })), end], {
    session_id,
    background: true,
  })
  await until(async () => (await childrenIn(session_id)).length === 2)
  t.match(await act(task.id, 'cancel'), { status: 200, body: { status: 'canceled' } })
  const children = await childrenIn(session_id)
  t.same(
    children.map(({ status }) => status),
    ['canceled', 'canceled'],
    'before it is answered',
  )
  for (const { id } of [task, ...children]) await holds(t, tasks, id)
})

t.test('a child that is canceled alone gives an incomplete result, and its caller goes on', async t => {
  const session_id = 'canceled-alone'
  const task = await play([call({ sleep_ms: 60_000 }), end], { session_id, background: true })
  const child = await firstChild(session_id)
  t.match(await act(child.id, 'cancel'), { status: 200, body: { id: child.id, status: 'canceled' } })
  const done = await becomes(task.id, 'completed')
  t.same(outline(done).slice(1), ['tool_result incomplete', 'message completed'])
  t.match(textsOf(done), [/canceled/])
})

t.test('a child that is deleted gives an incomplete result, too', async t => {
  const session_id = 'deleted-alone'
  const task = await play([call({ sleep_ms: 60_000 }), end], { session_id, background: true })
  const child = await firstChild(session_id)
  t.equal((await api('DELETE', `/tasks/${child.id}`)).status, 200)
  t.same(outline(await becomes(task.id, 'completed')).slice(1), [
    'tool_result incomplete',
    'message completed',
  ])
  t.equal((await api('GET', `/tasks/${child.id}`)).status, 404)
  await holds(t, tasks, task.id)
})

t.test('a delete of the caller ends its children', async t => {
  const session_id = 'deleted-from-above'
  const task = await play([call({ sleep_ms: 60_000 }), end], { session_id, background: true })
  const child = await firstChild(session_id)
  t.match(await read(api('DELETE', `/tasks/${task.id}`)), {
    status: 200,
    body: { result: { status: 'canceled' } },
  })
  t.equal((await api('GET', `/tasks/${task.id}`)).status, 404)
  t.equal((await get(child.id)).status, 'canceled')
})

t.test('a child that pauses keeps its caller working until it is resumed', async t => {
  const session_id = 'paused-child'
  const task = await play([call({ pause: 'look' }, { message: 'seen' }), end], {
    session_id,
    background: true,
  })
  const { id } = await firstChild(session_id)
  const child = await becomes(id, 'paused')
  t.match(child.metadata, { reason: 'look', parent_task_id: task.id })
  t.equal((await get(task.id)).status, 'working')
  t.match(await act(id, 'resume'), { status: 200, body: { status: 'working' } })
  t.same(textsOf(await becomes(task.id, 'completed')), ['so: seen'])
})

t.test('a pause of the caller holds when its children have ended', async t => {
  const session_id = 'paused-caller'
  const task = await play([call({ sleep_ms: 150 }, { message: 'done' }), end], {
    session_id,
    background: true,
  })
  await firstChild(session_id)
  t.match(await act(task.id, 'pause'), { status: 200, body: { status: 'working' } })
  const paused = await becomes(task.id, 'paused')
  t.same(outline(paused), ['tool_call agent_script completed', 'tool_result completed'])
  await act(task.id, 'resume')
  t.same(textsOf(await becomes(task.id, 'completed')), ['so: done'])
  await holds(t, tasks, task.id)
})

t.test('a message may be sent to a child', async t => {
  const session_id = 'steered-child'
  const task = await play([call({ sleep_ms: 150 }, { message: 'done' })], { session_id, background: true })
  const { id } = await firstChild(session_id)
  t.match(await act(id, 'messages', { content: 'psst' }), { status: 200, body: { id } })
  await becomes(task.id, 'completed')
  t.match(await (await api('GET', `/tasks/${id}/rollouts`)).text(), /psst/)
})

t.test('the lists of its caller hold for a child as well', async t => {
  const sum = { tool: 'calculator', arguments: { expression: '6*7' } }
  const more = { disallowed_tools: ['calculator'] }
  t.notMatch(textsOf(await play([call(sum, { message: '$result' }), end], more))[0], /42/)
  t.match(textsOf(await play([call(sum, { message: '$result' }), end]))[0], /42/)
  const inner = await play([call({ subagent: 'echo', input: 'deep' }, { message: '$result' }), end], {
    allowed_subagents: ['script'],
  })
  t.notMatch(textsOf(inner)[0], /so: deep/)
})

t.test("its caller's client tools are not a child's: nobody would hear that it waits", async t => {
  const task = await play([call({ tool: 'ask' }, { message: 'got $result' }), end], {
    client_tools: [tool('ask')],
  })
  t.equal(task.status, 'completed')
  t.match(textsOf(task)[0], /there is no tool/)
})

t.test('the call of a subagent takes no answer from outside', async t => {
  const session_id = 'no-answer'
  const task = await play([call({ sleep_ms: 60_000 }), end], { session_id, background: true })
  await firstChild(session_id)
  const call_id = String(callsOf(await get(task.id))[0]?.call_id)
  const tried = await act(task.id, 'input', { tool_results: [{ call_id, message_content: 'mine' }] })
  t.equal(tried.status, 422)
  const create = await post({
    session_id,
    history_messages: [result(call_id, 'mine')],
    client_id: 'echo',
    background: true,
  })
  t.equal(create.body.result.status, 'queued', 'plain history')
  await act(task.id, 'cancel')
})

t.test("a child's stream can be followed, and its caller's tells of its result", async t => {
  const session_id = 'followed'
  const told = await stream({
    agent_config: script(call({ message: 'a b c', delta_ms: 20 }), end),
    session_id,
  })
  const { id } = await firstChild(session_id)
  const text = await (
    await api('GET', `/tasks/${id}/events`, undefined, { accept: 'text/event-stream' })
  ).text()
  t.match(text, /event: task\.completed/)
  const own = await told.rest()
  const parent = told.response.headers.get('x-task-id') ?? ''
  await holds(t, tasks, parent, own)
  const { result: child } = (await (await api('GET', `/tasks/${id}`)).json()) as { result: TaskJson }
  t.equal(child.status, 'completed')
  const types = (await frames(parent)).map(({ type }) => type)
  t.equal(types.filter(type => type === 'task.tool_result.done').length, 1)
})

t.test(
  'a child works under the limits of its own cursor: its id is a cursor of the list with subtasks',
  async t => {
    const session_id = 'cursors'
    const task = await play([{ subagent: 'echo', input: 'hi' }], { session_id })
    const { id } = await firstChild(session_id)
    const query = `session_id=${session_id}&include_subtasks=true&limit=1`
    t.same(idsOf(await read(api('GET', `/tasks?${query}`))), [id])
    t.same(idsOf(await read(api('GET', `/tasks?${query}&starting_after=${id}`))), [task.id])
  },
)

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
