// GET /tasks/{id}?as_of=: the task as it was, by frame, by position, by time; and its machine.
import t from 'tap'
import { taskStatuses } from '../../src/contract/wire.ts'
import { brief, read, until } from '../support/http.ts'
import { allOf } from '../support/pages.ts'
import { serveHere } from '../support/server.ts'
import { type AgentTask, callId, script, tasksOf, tool } from './agent-tasks.ts'

const { api, lines, system } = await serveHere(t)
const tasks = tasksOf(api)
const { play, get, answer, becomes, frames, act, post } = tasks
const at = (id: string, as_of: string | number) =>
  read(api('GET', `/tasks/${id}?as_of=${encodeURIComponent(as_of)}`, undefined, { 'x-request-id': 'r' }))

const before = system.log.head()
const task = await play(
  [
    { message: 'one two', delta_ms: 1 },
    { tool: 'calculator', arguments: { expression: '6*7' } },
    { tool: 'ask' },
    { pause: 'look' },
    { message: 'so: $result' },
  ],
  { client_tools: [tool('ask')], return_rollout: true, metadata: { mine: 1 } },
)
const { id } = task
await act(id, 'messages', { content: 'by the way' })
await answer(id, { call_id: callId(task, 1), message_content: 'me' })
await becomes(id, 'paused')
await act(id, 'resume')
const done = await becomes(id, 'completed')
const told = await frames(id)

type Stored = { position: number; time: string; seq: number; frames: number; type: string }
const stored = await allOf(system.log.readStream(`task-${id}`))
const events: Stored[] = stored.map(({ position, header }) => {
  const { time, type, seq = 0, frames: count = 0 } = header
  return { position, time, seq, frames: count, type }
})
const last = events.at(-1) as Stored

t.test('by the number of a frame it is the task of that frame', async t => {
  const withTask = told.filter(frame => 'task' in frame)
  t.same(
    withTask.map(({ type }) => type),
    ['task.created', 'task.input_required', 'task.paused', 'task.completed'],
  )
  for (const { sequence_number, task: then, type } of withTask) {
    const { status, body } = await at(id, sequence_number)
    t.equal(status, 200)
    t.same(body, { jsonrpc: '2.0', id: 'r', result: then }, type)
  }
  const statuses = await Promise.all(told.map(async (_, n) => (await at(id, n)).body.result.status))
  let now = ''
  const moves = told.map(({ type }) => {
    const word = type.slice('task.'.length).replace('_', '-')
    if (['created', 'working', 'input-required', 'paused', 'completed'].includes(word)) now = word
    return now
  })
  t.same(statuses, moves, 'and between them it is where it was')
})

t.test('by a position it is the task after that event, and after any event of others', async t => {
  for (const { position, seq, frames: count, type } of events) {
    const then = (await at(id, `position:${position}`)).body.result
    const lastFrame = told[seq + count - 1]
    if (count > 0 && lastFrame?.task !== undefined) t.same(then, lastFrame.task, type)
    if (count > 0) t.same(then, (await at(id, seq + count - 1)).body.result, `${type} by its last frame`)
  }
  const other = await play([{ message: 'x' }])
  t.equal(other.status, 'completed')
  const { body } = await at(id, `position:${system.log.head()}`)
  t.same(body.result, done, 'later than its own end')
})

t.test('items grow as the frames tell of them', async t => {
  const lengths = await Promise.all(told.map(async (_, n) => (await at(id, n)).body.result.output.length))
  let items = 0
  const added = told.map(({ type }) => {
    if (type === 'task.output_item.added') items++
    return items
  })
  // A fact may give several frames, and the task is the one after the fact.
  for (const [n, length] of lengths.entries()) t.ok(length >= (added[n] ?? 0), `frame ${n}`)
  t.same(
    lengths,
    [...lengths].sort((a, b) => a - b),
  )
})

t.test('by a time it is the task after the last event that is not later', async t => {
  for (const time of new Set(events.map(event => event.time))) {
    const newest = events.findLast(event => event.time === time) as Stored
    const expected = (await at(id, `position:${newest.position}`)).body.result
    t.same((await at(id, time)).body.result, expected, time)
  }
  const zoned = new Date(Date.parse(last.time) + 2 * 3600 * 1000).toISOString().replace('Z', '+02:00')
  t.same((await at(id, zoned)).body.result, done, 'in another zone')
  t.same((await at(id, new Date().toISOString())).body.result, done, 'now')
})

t.test('the end is no error, what lies beyond it is', async t => {
  t.same((await at(id, told.length - 1)).body.result, done)
  const beyond = [
    told.length,
    999_999_999,
    `position:${system.log.head() + 1000}`,
    new Date(Date.now() + 3600 * 1000).toISOString(),
    '9999-12-31T00:00:00Z',
  ]
  for (const as_of of beyond) {
    const { status, body } = await at(id, as_of)
    t.equal(status, 422, `${as_of}`)
    t.match(brief(body.detail), [/^query as_of /])
  }
})

t.test('nonsense is refused with its place', async t => {
  const nonsense = [
    '',
    ' ',
    'x',
    '-1',
    '1.5',
    '1e3',
    '0x1',
    'position:',
    'position:-1',
    'position:x',
    'Position:1',
  ]
  const times = [
    'yesterday',
    '2026',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-02-29',
    '2026-01-01T25:00:00Z',
    '12:00',
    'T',
    '2026-01-01Tx',
  ]
  for (const as_of of [...nonsense, ...times, '9'.repeat(30), `position:${'9'.repeat(30)}`]) {
    const { status, body } = await at(id, as_of)
    t.equal(status, 422, as_of)
    t.match(brief(body.detail), [/^query as_of /])
  }
  t.equal((await api('GET', `/tasks/${id}?as_of=1&as_of=2`)).status, 422)
})

t.test('before it existed there was no such task', async t => {
  const [first] = events
  const early = [
    `position:${before}`,
    'position:0',
    `position:${(first?.position ?? 1) - 1}`,
    '2020-01-01T00:00:00Z',
    '2020-01-01',
  ]
  for (const as_of of early) {
    const { status, body } = await at(id, as_of)
    t.equal(status, 404, as_of)
    t.match(body, { jsonrpc: '2.0', id: 'r', error: { code: -32001 } })
  }
})

t.test('a task that is not there has no past, and a deleted one has that before its deletion', async t => {
  t.match(await at('nothing', 0), { status: 404, body: { error: { code: -32001 } } })
  const gone = await play([{ message: 'x' }])
  await read(api('DELETE', `/tasks/${gone.id}`))
  t.match(await at(gone.id, 0), { status: 200, body: { result: { id: gone.id, status: 'created' } } })
})

t.test('a task at work has a past and an end that moves', async t => {
  const working = await play([{ message: 'a' }, { sleep_ms: 60_000 }], { background: true })
  await becomes(working.id, 'working')
  t.equal((await at(working.id, 0)).body.result.status, 'created')
  t.equal((await at(working.id, 1)).body.result.status, 'working')
  t.equal((await at(working.id, 1000)).status, 422)
  t.same((await at(working.id, new Date().toISOString())).body.result.status, 'working')
  await act(working.id, 'cancel')
})

t.test('the machine says where a task is and what may follow', async t => {
  const machineOf = async (taskId: string) => {
    const { status, body } = await read(api('GET', `/tasks/${taskId}/machine`))
    t.equal(status, 200)
    t.same(Object.keys(body).sort(), ['machine', 'next_events', 'state', 'value'])
    return body as unknown as {
      machine: { states: object }
      state: string
      value: unknown
      next_events: string[]
    }
  }
  const session_id = 'machines'
  const made: Record<string, AgentTask> = {
    working: await play([{ sleep_ms: 60_000 }], { background: true, session_id }),
    queued: await play([{ message: 'x' }], { background: true, session_id }),
    paused: await play([{ pause: 'look' }]),
    'input-required': await play([{ tool: 'ask' }], { client_tools: [tool('ask')] }),
    completed: done,
    failed: await play([{ fail: { code: 1, message: 'no' } }]),
  }
  const waits = ['TaskCanceled', 'TaskExpired']
  const next: Record<string, string[]> = {
    working: ['InputRequired', 'TaskPaused', 'TaskCompleted', 'TaskFailed', ...waits],
    queued: ['TaskStarted', ...waits],
    paused: ['TaskResumed', ...waits],
    'input-required': ['InputAnswered', ...waits],
    completed: [],
    failed: [],
  }
  for (const [state, { id: taskId, status }] of Object.entries(made)) {
    t.equal(status, state)
    const machine = await machineOf(taskId)
    t.equal(machine.state, state)
    if (state !== 'working') t.equal(machine.value, state)
    t.same([...machine.next_events].sort(), next[state]?.sort())
    for (const known of taskStatuses) t.ok(known in machine.machine.states, known)
  }
  const isThinking = async () => {
    const { value } = await machineOf(made.working?.id ?? '')
    return JSON.stringify(value) === '{"working":"thinking"}'
  }
  await until(isThinking)
  for (const state of ['working', 'queued', 'paused', 'input-required'])
    await act(made[state]?.id ?? '', 'cancel')
  t.match(await machineOf(made.working?.id ?? ''), { state: 'canceled', next_events: [] })
  t.match(await read(api('GET', '/tasks/nothing/machine')), { status: 404, body: { code: -32001 } })
})

t.test('the operator was told of no error', async t => {
  t.equal((await post({ agent_config: script({ message: 'well' }) })).status, 200)
  t.equal((await get(id)).status, 'completed')
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
