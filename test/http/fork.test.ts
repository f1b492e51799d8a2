// POST /tasks/{id}/fork and GET /tasks/{id}/diff/{other}: a task whose past is the past of another one.
import t from 'tap'
import { publicEventOf } from '../../src/history/public-events.ts'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { type AgentTask, callId, holds, result, resultsOf, tasksOf, textsOf, tool } from './agent-tasks.ts'
import { envCalls, gone, kept, modules } from './env-calls.ts'
import { endsOf, forksOf, isSameWork, plain } from './fork-calls.ts'

t.setTimeout(120_000) // every fork with a step of its session starts a process
const { api, system } = await serveHere(t, { ENV_PATH: modules })
const tasks = tasksOf(api)
const { play, get, act, answer, becomes, frames } = tasks
const { ask, fork, diff } = forksOf(api)
const env = envCalls(api)

const move = (direction: string) => ({ tool: 'move', arguments: { direction } })
const add = (by: number) => ({ tool: 'add', arguments: { by } })
const steps = [
  { message: 'one' },
  move('east'),
  { tool: 'calculator', arguments: { expression: '2+3' } },
  { subagent: 'echo', input: 'hello' },
  { tool: 'calculator', arguments: { expression: '$result*2' } },
]
const listed = async (query: string) =>
  (await read(api('GET', `/tasks?limit=100&${query}`))).body.result as unknown as AgentTask[]
const eventsOf = async (stream: string) => {
  const found = []
  for await (const page of system.log.readStream(stream)) found.push(...page)
  return found
}
const stateOf = async (id: string) => (await env.observe(id)).body.state

t.test('a fork at any frame has the past of the task, and continues from there', async t => {
  const session_id = await env.made({ env_class_path: 'gridworld', env_init_kwargs: {} })
  const task = await play([...steps, { message: 'end' }], { session_id })
  t.equal(task.status, 'completed')
  const there = await stateOf(session_id)
  const all = await frames(task.id)
  const other = { script: [...steps, { message: 'other end' }] }
  const theirs = all.map(plain)
  const said = all.findIndex(({ delta }) => delta === 'end')
  const isResult = ({ header }: { header: { type: string } }) => header.type === 'EffectCompleted'
  const calls = (await eventsOf(`task-${task.id}`)).filter(isResult).length
  const check = async (at: number) => {
    const made = await fork(task.id, { at, agent_config: other })
    const ended = await becomes(made.id, 'completed')
    t.same(ended.metadata?.forked_from, { task_id: task.id, at })
    t.not(ended.session_id, session_id)
    if (at % 8 === 0)
      t.same(await stateOf(ended.session_id), there, 'the copy of the session has taken the same steps')
    await env.close(ended.session_id)
    const [found, mine] = [await diff(task.id, made.id), (await frames(made.id)).map(plain)]
    const first = theirs.findIndex((frame, n) => frame !== mine[n])
    t.equal(found.first_divergence, first === -1 ? null : first, `the first difference of the fork at ${at}`)
    t.ok(first === -1 || first > at, 'the past is the same')
    t.ok(first !== -1 || at >= said - 2, 'the last message differs unless it is in the past')
    t.equal(
      found.items.findIndex(item => !item.same),
      task.output.findIndex((item, n) => plain(item) !== plain(ended.output[n])),
    )
    t.equal(found.facts[0]?.left?.type, 'TaskCreated', 'the request is another one')
    const results = (await eventsOf(`task-${made.id}`)).filter(isResult)
    t.equal(results.length, calls, 'no call has run that had its result')
    t.match((await act(made.id, 'replay')).body, { matches: true })
  }
  await Promise.all(all.map(({ sequence_number }) => check(sequence_number)))
  const at = endsOf(all)[2] ?? 0
  const again = await fork(task.id, { at })
  await becomes(again.id, 'completed')
  isSameWork(t, await diff(task.id, again.id), at)
  await holds(t, tasks, again.id)
  t.same(await stateOf(session_id), there, 'the session of the task has taken no further step')
})

t.test('open work begins anew in the fork: a tool, and a subagent in a task of its own', async t => {
  const child = JSON.stringify([{ sleep_ms: 60_000 }, { message: 'late' }])
  const both = { tools: [{ tool: 'agent_script', arguments: { input: child } }, { tool: 'current_time' }] }
  const task = await play([both, { message: 'end' }], { background: true })
  await until(async () => resultsOf(await get(task.id)).length === 1)
  const at = (await frames(task.id)).length - 1
  const childrenOf = async (session_id: string) =>
    (await listed(`session_id=${session_id}&include_subtasks=true`)).filter(
      ({ metadata }) => metadata?.parent_task_id !== undefined,
    )

  const made = await fork(task.id, { at })
  t.equal(made.status, 'working')
  t.equal(resultsOf(made).length, 1, 'a result that was given stays')
  const [own, ...others] = await childrenOf(made.session_id)
  t.same(others, [])
  t.match(own, { status: 'working', metadata: { parent_task_id: made.id } })
  t.not(own?.id, (await childrenOf(task.session_id))[0]?.id)
  await act(String(own?.id), 'cancel')
  const ended = await becomes(made.id, 'completed')
  t.match(resultsOf(ended).at(-1)?.message_content, /canceled/)
  t.equal((await get(task.id)).status, 'working', 'the task itself goes on')
  await holds(t, tasks, made.id)

  const resting = await fork(task.id, { at, run: false })
  t.match(resting, { status: 'paused', metadata: { reason: 'forked' } })
  const [waiting] = await childrenOf(resting.session_id)
  t.match(waiting, { status: 'paused' }, 'the subagent waits with its caller')
  t.equal((await act(resting.id, 'resume')).status, 200)
  await becomes(String(waiting?.id), 'working')
  await act(resting.id, 'cancel')
  await act(task.id, 'cancel')
})

t.test('a fork of a task that waits for its client waits too, for calls of its own', async t => {
  const client_tools = [tool('ask')]
  const task = await play([{ tool: 'ask' }, { message: 'you said $result' }], { client_tools })
  const made = await fork(task.id, { at: (await frames(task.id)).length - 1 })
  t.equal(made.status, 'input-required')
  t.not(callId(made), callId(task))
  const wrong = await answer(made.id, result(callId(task), 'no'))
  t.equal(wrong.status, 422, 'it does not know the calls of the task')
  await answer(made.id, result(callId(made), 'yes'))
  t.same(textsOf(await becomes(made.id, 'completed')), ['you said yes'])
  t.equal((await get(task.id)).status, 'input-required')
  await answer(task.id, result(callId(task), 'maybe'))
  t.same(textsOf(await becomes(task.id, 'completed')), ['you said maybe'])
})

t.test('a message in the fork is seen by its next step, and the past of the session is there', async t => {
  const session_id = 'talk'
  await play([{ message: 'first answer' }], { session_id, user_message_content: 'first' })
  const task = await play([{ message: 'one' }, { sleep_ms: 1 }, { message: 'two' }], {
    session_id,
    user_message_content: 'second',
  })
  await play([{ message: 'third answer' }], { session_id, user_message_content: 'third' })
  const [at = 0] = endsOf(await frames(task.id))
  const made = await fork(task.id, { at, user_message_content: 'and this' })
  await becomes(made.id, 'completed')
  const contextOf = async (id: string) => {
    const { result } = (await read(api('GET', `/tasks/${id}/rollouts`))).body as unknown as {
      result: { input_messages: { message_content: unknown }[]; fork_of: string | null; rollout_id: string }[]
    }
    return result
  }
  const entries = await contextOf(made.id)
  const theirs = await contextOf(task.id)
  t.same(
    entries.map(({ fork_of }) => fork_of),
    [theirs[0]?.rollout_id, null, null],
    'a step of the past names its original',
  )
  const words = JSON.stringify(entries.at(-1)?.input_messages.map(item => item.message_content))
  t.match(words, /first.*first answer.*second.*one.*and this/)

  const next = await play([{ message: 'later' }], {
    session_id: made.session_id,
    user_message_content: 'go on',
  })
  t.equal(next.previous_task_id, made.id)
  const seen = JSON.stringify((await contextOf(next.id))[0]?.input_messages.map(item => item.message_content))
  t.match(seen, /first.*first answer.*second.*one.*and this.*two.*go on/)
  t.notMatch(seen, /third/, 'what came after the cut is not in its session')
})

t.test(
  'a fork of a fork is cut where the first task was, and may be made of a task that has ended',
  async t => {
    const task = await play([{ message: 'one' }, { message: 'two' }, { message: 'three' }])
    const [one = 0, two = 0] = endsOf(await frames(task.id))
    const first = await fork(task.id, { at: two })
    await becomes(first.id, 'completed')
    const second = await fork(first.id, { at: one })
    t.same(textsOf(second), ['one'], 'the appends of the first task are those of its forks')
    await becomes(second.id, 'completed')
    isSameWork(t, await diff(task.id, second.id), one)
    const whole = await fork(task.id, { at: (await frames(task.id)).length - 1 })
    t.equal(whole.status, 'completed')
    const late = await ask(task.id, { at: (await frames(task.id)).length - 1, user_message_content: 'more' })
    t.match(late, { status: 422, body: { detail: [{ loc: ['body', 'user_message_content'] }] } })
  },
)

t.test('a request that is repeated gets its fork again', async t => {
  const task = await play([{ message: 'one' }])
  const headers = { 'idempotency-key': 'fork-once' }
  const made = await fork(task.id, { at: 1 }, headers)
  const again = await ask(task.id, { at: 1 }, headers)
  t.equal((again.body as unknown as { id: string }).id, made.id)
  t.equal(again.headers.get('idempotency-replayed'), 'true')
  t.equal((await ask(task.id, { at: 2 }, headers)).status, 409)
  const named = await fork(task.id, { at: 1, task_id: 'my-fork' })
  t.equal(named.id, 'my-fork')
  t.equal((await ask(task.id, { at: 1, task_id: 'my-fork' })).status, 200)
  t.equal((await ask(task.id, { at: 2, task_id: 'my-fork' })).status, 409, 'the id has another body')
  t.equal((await ask(task.id, { at: 99 })).status, 422)
  t.equal((await ask(task.id, { at: -1 })).status, 422)
  t.equal((await ask(task.id, {})).status, 422)
  t.equal((await ask('nobody', { at: 0 })).status, 404)
  const unknown = await ask(task.id, { at: 1, agent_config: { agent_id: 'nobody' } })
  t.match(unknown, { status: 422, body: { detail: [{ loc: ['body', 'agent_config', 'agent_id'] }] } })
})

t.test('the copy of the past gives no public events, and the fork says where it begins', async t => {
  const task = await play([{ message: 'one' }, { message: 'two' }])
  const before = system.log.head()
  const [at = 0] = endsOf(await frames(task.id))
  const made = await fork(task.id, { at })
  await becomes(made.id, 'completed')
  const heard: [string, unknown][] = []
  for await (const page of system.log.readAll(before)) {
    for (const event of page) {
      const told = publicEventOf(event)
      if (told !== undefined) heard.push([told.type, 'status' in told ? told.status : undefined])
    }
  }
  t.same(heard, [
    ['TaskCreated', 'working'],
    ['AgentSpawned', undefined],
    ['TaskUpdated', undefined],
    ['AgentCompleted', undefined],
    ['TaskStatusChanged', undefined],
  ])
  const bulk = await read(api('GET', `/rollouts?after=${before}`))
  t.equal(bulk.text.trim().split('\n').length, 1, 'a step of the past is not counted twice')
})

t.test('the public events of a fork begin with the status that the copied events give', async t => {
  const task = await play([{ message: 'one' }, { message: 'two' }])
  const [at = 0] = endsOf(await frames(task.id))
  for (const [wish, moves] of [
    [{ run: false }, ['TaskCreated working', 'TaskStatusChanged working paused']],
    [{}, ['TaskCreated working', 'TaskStatusChanged working completed']],
  ] as const) {
    const before = system.log.head()
    const made = await fork(task.id, { at, ...wish })
    await becomes(made.id, 'paused', 'completed')
    const heard: string[] = []
    for await (const page of system.log.readAll(before))
      for (const event of page) {
        const told = publicEventOf(event)
        if (told?.type === 'TaskCreated') heard.push(`TaskCreated ${told.status}`)
        if (told?.type === 'TaskStatusChanged')
          heard.push(`TaskStatusChanged ${told.old_status} ${told.new_status}`)
      }
    t.same(heard, moves, JSON.stringify(wish))
  }
})

t.test('a session whose environment cannot come back cannot be copied', async t => {
  const session_id = await env.made({ env_class_path: gone })
  const task = await play([add(1), { message: 'end' }], { session_id })
  const refused = await ask(task.id, { at: 3 })
  t.match(refused, { status: 422, body: { detail: [{ loc: ['body', 'at'] }] } })
  await env.close(session_id)
})

t.test('a kept state is copied while it is kept', async t => {
  const session_id = await env.made({ env_class_path: kept })
  const task = await play([add(1), add(2), { message: 'end' }], { session_id })
  const all = await frames(task.id)
  const made = await fork(task.id, { at: all.length - 1 })
  const total = async (id: string) => (await env.observe(id)).body.state.total
  t.equal(await total(made.session_id), 3)
  await env.add(made.session_id, 10)
  t.same([await total(session_id), await total(made.session_id)], [3, 13], 'the sessions are apart')
  const old = await ask(task.id, { at: 1 })
  t.match(old, { status: 422, body: { detail: [{ loc: ['body', 'at'] }] } })
  await env.close(session_id)
  await env.close(made.session_id)
})
