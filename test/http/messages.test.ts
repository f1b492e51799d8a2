// POST /tasks/{id}/messages: something said to an agent at work, seen before its next step.
import t from 'tap'
import { brief, read, until } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { type AgentTask, callId, holds, outline, tasksOf, textsOf, tool } from './agent-tasks.ts'

const { api, url, lines, system } = await serveHere(t)
const tasks = tasksOf(api)
const { play, get, act, answer, becomes, post } = tasks
const say = (id: string, content: unknown, headers: Record<string, string> = {}) =>
  act(id, 'messages', { content }, headers)
const bare = ({ body }: { body: unknown }) => body as AgentTask

type Entry = { turn: number; step: number; input_messages: { type: string; message_content: unknown }[] }
/** What a task saw, step by step. */
const seenBy = async (id: string): Promise<Entry[]> =>
  (await read(api('GET', `/tasks/${id}/rollouts`))).body.result as unknown as Entry[]
const userTexts = (entry: Entry | undefined) =>
  (entry?.input_messages ?? []).flatMap(item =>
    item.type === 'message' && (item as { role?: string }).role === 'user' ? [item.message_content] : [],
  )
/** The messages that were accepted for a task, as the log tells them. */
const accepted = async (id: string) => {
  const found: { by: string; content: unknown }[] = []
  for await (const page of system.log.readStream(`task-${id}`)) {
    for (const { header, data } of page) {
      if (header.type !== 'InputAccepted') continue
      const { by, item } = data as { by: string; item: { message_content: unknown } }
      found.push({ by, content: item.message_content })
    }
  }
  return found
}

t.test('the agent sees it before its next step, and not sooner', async t => {
  const task = await play([{ sleep_ms: 150 }, { message: 'one' }, { message: 'two' }], { background: true })
  const said = await say(task.id, 'please hurry')
  t.equal(said.status, 200)
  t.match(bare(said), { object: 'task', id: task.id, status: 'working' }, 'the bare task')
  await becomes(task.id, 'completed')
  const entries = await seenBy(task.id)
  t.same(entries.map(userTexts), [['x'], ['x', 'please hurry'], ['x', 'please hurry']])
  t.same(
    entries.map(({ turn }) => turn),
    [1, 2, 2],
  )
  t.same(outline(await get(task.id)), ['message completed', 'message completed'], 'it is no output')
  await holds(t, tasks, task.id)
})

t.test('it may be content items, and is seen as it was', async t => {
  const task = await play([{ sleep_ms: 100 }, { message: 'one' }], { background: true })
  const content = [
    { type: 'input_text', text: 'look' },
    { type: 'image_url', image_url: { url: 'http://x/y' } },
  ]
  t.equal((await say(task.id, content)).status, 200)
  await becomes(task.id, 'completed')
  t.same(userTexts((await seenBy(task.id)).at(-1)), ['x', content])
})

t.test('said while the last step runs, it is answered by one more', async t => {
  const { body } = await post({ client_id: 'demo', user_message_content: 'first', background: true })
  const { id } = body.result
  await until(async () => (await get(id)).output.length > 0)
  t.equal((await say(id, 'second')).status, 200)
  const done = await becomes(id, 'completed')
  const texts = textsOf(done)
  t.match(texts.at(-1), /second/)
  await holds(t, tasks, id)

  const sleeping = await play([{ message: 'a' }, { sleep_ms: 150 }], { background: true })
  await say(sleeping.id, 'still there?')
  const over = await becomes(sleeping.id, 'completed')
  t.equal(over.status, 'completed')
  t.same(userTexts((await seenBy(sleeping.id)).at(-1)), ['x', 'still there?'], 'a step saw it')
})

t.test('said while the last call runs, it is answered as well', async t => {
  const call = { subagent: 'script', input: '[{"sleep_ms":150},{"message":"done"}]' }
  for (const stop_tools of [null, ['agent_script']]) {
    const task = await play([call], { background: true, stop_tools })
    await until(async () => (await get(task.id)).output.length === 1)
    t.equal((await say(task.id, 'and then?')).status, 200)
    await becomes(task.id, 'completed')
    const seen = userTexts((await seenBy(task.id)).at(-1))
    // A stop tool ends the loop whatever was said.
    t.same(seen, stop_tools === null ? ['x', 'and then?'] : ['x'])
    await holds(t, tasks, task.id)
  }
})

t.test('messages come in the order in which they were accepted, and each once', async t => {
  const task = await play([{ sleep_ms: 200 }, { message: 'one' }], { background: true })
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => say(task.id, `m${n}`)))
  t.ok(answers.every(({ status }) => status === 200))
  await becomes(task.id, 'completed')
  const order = (await accepted(task.id)).map(({ content }) => content)
  t.equal(new Set(order).size, 10)
  t.same(userTexts((await seenBy(task.id)).at(-1)), ['x', ...order])
  await holds(t, tasks, task.id)
})

t.test('a queued task takes messages and sees them when it starts', async t => {
  const session_id = 'queue'
  const first = await play([{ sleep_ms: 60_000 }], { background: true, session_id })
  const queued = await play([{ message: 'one' }], { background: true, session_id })
  t.equal(queued.status, 'queued')
  t.match(bare(await say(queued.id, 'by the way')), { status: 'queued' })
  await act(first.id, 'cancel')
  await becomes(queued.id, 'completed')
  t.same((await seenBy(queued.id)).map(userTexts), [['x', 'by the way']])
  await holds(t, tasks, queued.id)
})

t.test('a paused task takes messages and stays paused', async t => {
  const task = await play([{ pause: 'look' }, { message: 'one' }])
  t.match(bare(await say(task.id, 'careful')), { status: 'paused' })
  t.equal((await get(task.id)).status, 'paused')
  await act(task.id, 'resume')
  await becomes(task.id, 'completed')
  t.same(userTexts((await seenBy(task.id)).at(-1)), ['x', 'careful'])
  await holds(t, tasks, task.id)
})

t.test('a task that waits for its client takes messages and goes on waiting', async t => {
  const task = await play([{ tool: 'ask' }, { message: 'heard: $result' }], { client_tools: [tool('ask')] })
  t.match(bare(await say(task.id, 'I am thinking')), { status: 'input-required' })
  t.same((await get(task.id)).input_required, task.input_required)
  await answer(task.id, { call_id: callId(task), message_content: 'me' })
  t.same(textsOf(await becomes(task.id, 'completed')), ['heard: me'])
  const last = (await seenBy(task.id)).at(-1)
  t.same(
    last?.input_messages.slice(-2).map(item => item.message_content),
    ['me', 'I am thinking'],
    'nothing comes between a call and its result',
  )
  await holds(t, tasks, task.id)
})

t.test('a task that has ended takes none', async t => {
  const ended = [
    await play([{ message: 'x' }]),
    await play([{ fail: { code: -32000, message: 'no' } }]),
    bare(await act((await play([{ sleep_ms: 60_000 }], { background: true })).id, 'cancel')),
  ]
  t.same(
    ended.map(({ status }) => status),
    ['completed', 'failed', 'canceled'],
  )
  for (const { id, status } of ended) {
    const before = await get(id)
    const { status: http, body } = await say(id, 'too late')
    t.equal(http, 400, status)
    t.match(body, { code: -32020, data: { status } })
    t.same(await get(id), before)
  }
  t.match(await say('nothing', 'x'), { status: 404, body: { code: -32001 } })
})

t.test('an Idempotency-Key says which message is the same', async t => {
  const task = await play([{ sleep_ms: 60_000 }], { background: true })
  const key = { 'idempotency-key': 'm1' }
  const first = await say(task.id, 'once', key)
  t.equal(first.headers.get('idempotency-replayed'), null)
  const second = await say(task.id, 'once', key)
  t.equal(second.status, 200)
  t.equal(second.headers.get('idempotency-replayed'), 'true')
  t.match(bare(second), { object: 'task', id: task.id })
  const other = await say(task.id, 'twice', key)
  t.match(other, { status: 409, body: { code: -32023 } })
  t.equal(other.headers.get('x-should-retry'), 'false')
  const raced = await Promise.all(
    Array.from({ length: 6 }, () => say(task.id, 'raced', { 'idempotency-key': 'm2' })),
  )
  t.ok(raced.every(({ status }) => status === 200))
  await say(task.id, 'once')
  t.same(
    (await accepted(task.id)).map(({ content }) => content),
    ['once', 'raced', 'once'],
    'without a key the same words are said again',
  )
  await act(task.id, 'cancel')
  const late = await say(task.id, 'once', key)
  t.match(late, { status: 200 }, 'what was accepted stays accepted')
})

t.test('a key of a message is no key of a create, and of another task neither', async t => {
  const one = await play([{ sleep_ms: 60_000 }], { background: true })
  const two = await play([{ sleep_ms: 60_000 }], { background: true })
  const key = { 'idempotency-key': 'm3' }
  t.equal((await say(one.id, 'x', key)).status, 200)
  t.match(await say(two.id, 'x', key), { status: 409, body: { code: -32023 } })
  t.match(await post({ client_id: 'echo' }, key), { status: 409, body: { error: { code: -32023 } } })
  for (const { id } of [one, two]) await act(id, 'cancel')
})

t.test('a retry of the last message is not said twice', async t => {
  const task = await play([{ sleep_ms: 60_000 }], { background: true })
  const again = { 'x-stainless-retry-count': '1' }
  for (const [content, headers] of [
    ['a', {}],
    ['a', again],
    ['b', again],
    ['b', again],
    ['b', {}],
  ] as const) {
    t.equal((await say(task.id, content, headers)).status, 200)
  }
  t.same(
    (await accepted(task.id)).map(({ content }) => content),
    ['a', 'b', 'b'],
  )
  await act(task.id, 'cancel')
})

t.test('who said it is in the log', async t => {
  const made = await read(api('POST', '/auth/tokens', { role: 'user', user_id: 'default' }))
  const { token, id } = made.body as unknown as { token: string; id: string }
  const task = await play([{ sleep_ms: 60_000 }], { background: true })
  const content = 'as a user'
  t.equal((await read(apiOf(url, token)('POST', `/tasks/${task.id}/messages`, { content }))).status, 200)
  await say(task.id, 'as the admin')
  t.match(await accepted(task.id), [{ by: id }, { by: 'admin' }])
  await act(task.id, 'cancel')
})

t.test('a message without content is refused with its place', async t => {
  const task = await play([{ sleep_ms: 60_000 }], { background: true })
  const bodies: [unknown, RegExp][] = [
    [{}, /^body content missing$/],
    [undefined, /^body/],
    [{ content: '' }, /^body content too_short$/],
    [{ content: [] }, /^body content too_short$/],
    [{ content: 1 }, /^body content /],
    [{ content: null }, /^body content /],
    [{ event: { type: 'go' } }, /^body event value_error$/],
    [{ event: { type: 'go' }, content: 'go' }, /^body event value_error$/],
    [{ event: {} }, /^body event type missing$/],
    [{ event: 'go' }, /^body event /],
    [{ event: { type: 'xstate.done.actor.pay' } }, /^body event type value_error$/],
    [{ content: [{ type: 'text' }] }, /^body content 0 text missing$/],
    ['{"content":', /json_invalid$/],
  ]
  for (const [sent, problem] of bodies) {
    const { status, body } = await act(task.id, 'messages', sent)
    t.equal(status, 422, JSON.stringify(sent))
    t.match(brief(body.detail)[0], problem)
  }
  t.same(await accepted(task.id), [])
  await act(task.id, 'cancel')
})

t.test('what was said is part of what the next task of the session sees', async t => {
  const session_id = 'remembered'
  const task = await play([{ sleep_ms: 100 }, { message: 'one' }], { background: true, session_id })
  await say(task.id, 'keep this')
  await becomes(task.id, 'completed')
  const next = await play([{ message: 'two' }], { session_id, user_message_content: 'y' })
  const [entry] = await seenBy(next.id)
  t.same(userTexts(entry), ['x', 'keep this', 'y'])
})

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
