// Rollouts: a task told step by step, wherever it is asked for.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { brief, type Item, read, until } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { type AgentTask, callId, callsOf, holds, result, script, tasksOf, tool } from './agent-tasks.ts'

const dataDir = t.testdir()
const { api, url, lines, stop } = await serveHere(t, { DATA_DIR: dataDir })
const tasks = tasksOf(api)
const { play, get, act, post, stream, frames, answer, becomes } = tasks

type Entry = Record<string, unknown> & {
  sequence_number: number
  position: number
  task_id: string
  rollout_id: string
  step: number
  reward: number | null
  input_messages: Item[]
  output_messages: Item[]
}
const rolloutsOf = async (id: string): Promise<Entry[]> =>
  (await read(api('GET', `/tasks/${id}/rollouts`))).body.result as unknown as Entry[]
const parse = (text: string): Entry[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Entry)

const sum = { tool: 'calculator', arguments: { expression: '6*7' } }
const end = { message: 'so: $result' }
const child = (...steps: object[]) => ({ subagent: 'script', input: JSON.stringify(steps) })
const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 }

t.test('there is one entry a step, with every field', async t => {
  const task = await play([{ reasoning: 'hm' }, sum, { usage }, end], {
    session_id: 's1',
    request_id: 'r1',
    inference_args: { temperature: 0.5 },
    history_messages: [{ type: 'message', role: 'user', message_content: 'earlier' }],
    thought_messages: [
      { type: 'reasoning', id: 'rs_mine', summary: [{ type: 'summary_text', text: 'secret' }] },
    ],
  })
  const entries = await rolloutsOf(task.id)
  t.equal(entries.length, 4)
  for (const [index, entry] of entries.entries()) {
    t.match(entry, {
      type: 'task.rollout',
      sequence_number: Number,
      session_id: 's1',
      task_id: task.id,
      trace_id: task.id,
      request_id: 'r1',
      rollout_id: /./,
      inference_args: { temperature: 0.5 },
      tools: Array,
      request: Object,
      is_answer: index === 3,
      is_compress: false,
      turn: 1,
      step: index + 1,
      position: Number,
      effect_id: /./,
      parent_rollout_id: null,
      fork_of: null,
      reward: null,
    })
    const [reasoning, call, answered] = task.output
    const before = [[], [reasoning], [reasoning, call, answered], [reasoning, call, answered]][index] ?? []
    t.same(entry.output_messages, [[reasoning], [call], [], [task.output[3]]][index])
    t.match(entry.input_messages.slice(0, 3), [
      { message_content: 'earlier' },
      { id: 'rs_mine' },
      { role: 'user', message_content: 'x' },
    ])
    t.same(entry.input_messages.slice(3), before)
  }
  t.equal(new Set(entries.map(({ rollout_id }) => rollout_id)).size, 4)
  t.equal(new Set(entries.map(({ effect_id }) => effect_id)).size, 4)
  t.same(
    entries.map(({ position }) => position),
    entries.map(({ position }) => position).sort((a, b) => a - b),
  )
  t.same(entries[2]?.usage, usage)
})

t.test("tools are the client's: agents without a model send none of ours", async t => {
  const task = await play([{ message: 'x' }], { client_tools: [tool('ask')] })
  const [entry] = await rolloutsOf(task.id)
  t.match(entry, { tools: [{ function: { name: 'ask' } }] })
  t.equal((entry?.tools as unknown[] | undefined)?.length, 1)
})

t.test("an entry's number is that of the next frame when its step completed", async t => {
  const task = await play([{ message: 'a' }, sum, end])
  const told = await frames(task.id)
  for (const { step, sequence_number } of await rolloutsOf(task.id)) {
    t.equal(told[sequence_number]?.type, step === 3 ? 'task.completed' : 'task.output_item.added')
  }
})

t.test('as JSON it is an envelope, as JSON lines the entries alone; another format is refused', async t => {
  const task = await play([sum, end])
  const entries = await rolloutsOf(task.id)
  const asJson = await read(
    api('GET', `/tasks/${task.id}/rollouts?format=json`, undefined, { 'x-request-id': 'r' }),
  )
  t.same(asJson.body, { jsonrpc: '2.0', id: 'r', result: entries, has_more: false })
  const asLines = await read(api('GET', `/tasks/${task.id}/rollouts?format=jsonl`))
  t.match(asLines.headers.get('content-type'), 'application/x-ndjson')
  t.equal(asLines.text, entries.map(entry => `${JSON.stringify(entry)}\n`).join(''))
  for (const format of ['xml', 'JSON', '', 'ndjson']) {
    const { status, body } = await read(api('GET', `/tasks/${task.id}/rollouts?format=${format}`))
    t.equal(status, 422, format)
    t.match(brief(body.detail), [/^query format /])
  }
  t.match(await read(api('GET', '/tasks/nothing/rollouts')), { status: 404, body: { code: -32001 } })
})

t.test('pages continue after a position, as JSON and as lines, whole and as differences', async t => {
  const task = await play([sum, sum, sum, sum, end])
  const all = await rolloutsOf(task.id)
  for (const form of ['whole', 'delta']) {
    const seen: Entry[] = []
    for (let more = true; more; ) {
      const query = `limit=2&form=${form}&after=${seen.at(-1)?.position ?? 0}`
      const { body } = await read(api('GET', `/tasks/${task.id}/rollouts?${query}`))
      const { result, has_more } = body as unknown as { result: Entry[]; has_more: boolean }
      const asLines = parse(
        await (await api('GET', `/tasks/${task.id}/rollouts?format=jsonl&${query}`)).text(),
      )
      t.same(asLines, result)
      seen.push(...result)
      more = has_more
    }
    t.same(
      seen.map(({ step }) => step),
      [1, 2, 3, 4, 5],
    )
    if (form === 'whole') t.same(seen, all)
    else
      t.match(
        seen.map(({ input_messages_delta }) => input_messages_delta),
        [
          { base: null, keep: 0 },
          { base: all[0]?.rollout_id, keep: 1, append: { length: 2 } },
          { base: null, keep: 0, append: { length: 5 } },
          { base: all[2]?.rollout_id, keep: 5, append: { length: 2 } },
          { base: null, keep: 0, append: { length: 9 } },
        ],
        'the first entry of each page needs no other',
      )
  }
  const last = all.at(-1)?.position
  t.equal(await (await api('GET', `/tasks/${task.id}/rollouts?format=jsonl&after=${last}`)).text(), '')
  const bulk = parse(
    await (await api('GET', `/rollouts?form=delta&after=${(all[0]?.position ?? 1) - 1}`)).text(),
  )
  t.match(bulk[4], { input_messages_delta: { base: all[3]?.rollout_id, keep: 7 } })
  for (const query of [
    'limit=0',
    'limit=1001',
    'after=-1',
    'after=999999',
    'form=short',
    'format=atif&limit=5',
  ])
    t.equal((await api('GET', `/tasks/${task.id}/rollouts?${query}`)).status, 422, query)
})

t.test('a task without a step has none, one at work those so far', async t => {
  const session_id = 'under-way'
  const first = await play([{ message: 'a' }, { sleep_ms: 60_000 }], { background: true, session_id })
  const queued = await play([{ message: 'a' }], { background: true, session_id })
  await until(async () => (await get(first.id)).output.length === 1)
  t.same(await rolloutsOf(queued.id), [])
  t.equal((await rolloutsOf(first.id)).length, 1)
  t.equal((await (await api('GET', `/tasks/${queued.id}/rollouts?format=jsonl`)).text()).length, 0)
  for (const { id } of [queued, first]) await act(id, 'cancel')
})

t.test(
  'with return_rollout the final result holds them: in the answer, in GET, in the last frame',
  async t => {
    const task = await play([sum, end], { return_rollout: true })
    t.same(task.rollouts, await rolloutsOf(task.id))
    t.same((await get(task.id)).rollouts, task.rollouts)
    const { frames: told } = await holds(t, tasks, task.id)
    t.same((told.at(-1)?.task as AgentTask | undefined)?.rollouts, task.rollouts)
    for (const flag of [false, null, undefined]) {
      const without = await play([sum, end], { return_rollout: flag })
      t.notOk('rollouts' in without)
      t.notOk((await frames(without.id)).some(({ type }) => type === 'task.rollout'))
    }
  },
)

t.test('streamed, each entry is a frame as well, numbered among the others', async t => {
  const told = await stream({
    agent_config: script({ message: 'a b', delta_ms: 1 }, sum, end),
    return_rollout: true,
  })
  const text = await told.rest()
  const id = told.response.headers.get('x-task-id') ?? ''
  const shown = told.frames().filter(({ type }) => type === 'task.rollout')
  t.same(shown, await rolloutsOf(id), 'the frame is the entry')
  const types = told.frames().map(({ type }) => type)
  t.ok(types.indexOf('task.rollout') > types.indexOf('task.output_item.done'), 'after what the step said')
  t.match(told.frames().at(-1), { type: 'task.completed', task: { rollouts: { length: 3 } } })
  t.same((told.frames().at(-1)?.task as AgentTask | undefined)?.rollouts, shown)
  await holds(t, tasks, id, text)
})

t.test('a failed and a canceled task have theirs, too', async t => {
  const failed = await play([{ message: 'a' }, { fail: { code: -32000, message: 'no' } }], {
    return_rollout: true,
  })
  t.equal(failed.status, 'failed')
  t.equal(failed.rollouts?.length, 1)
  await holds(t, tasks, failed.id)
  const task = await play([{ message: 'a' }, { sleep_ms: 60_000 }], {
    return_rollout: true,
    background: true,
  })
  await until(async () => (await get(task.id)).output.length === 1)
  t.notOk('rollouts' in (await get(task.id)), 'only the final result')
  const canceled = (await act(task.id, 'cancel')).body as unknown as AgentTask
  t.equal(canceled.rollouts?.length, 1)
  t.same(await get(task.id), canceled)
  await holds(t, tasks, task.id)
})

t.test('one that waits for its client tells of its steps around the wait', async t => {
  const client_tools = [tool('ask')]
  const task = await play([{ tool: 'ask' }, end], {
    client_tools,
    return_rollout: true,
    session_id: 'around',
  })
  t.equal(task.status, 'input-required')
  t.notOk('rollouts' in task)
  await answer(task.id, { call_id: callId(task), message_content: 'me' })
  const done = await becomes(task.id, 'completed')
  t.equal(done.rollouts?.length, 2)
  const [, second] = done.rollouts as Entry[]
  t.match(second?.input_messages.slice(-2), [
    { type: 'tool_call' },
    { type: 'tool_result', message_content: 'me' },
  ])
  await holds(t, tasks, task.id)
  const other = await play([{ tool: 'ask' }, end], {
    client_tools,
    return_rollout: true,
    session_id: 'around',
  })
  await post({ session_id: 'around', history_messages: [result(callId(other), 'me')], client_id: 'echo' })
  t.equal((await get(other.id)).rollouts?.length, 1)
  await holds(t, tasks, other.id)
})

t.test(
  "subagents' entries come with include_subagent_rollout, and name the step that called them",
  async t => {
    const steps = [{ message: 'a' }, child({ message: 'b' }, child({ message: 'c' })), end]
    const without = await play(steps, { return_rollout: true })
    t.equal(without.rollouts?.length, 3)
    const task = await play(steps, { return_rollout: true, include_subagent_rollout: true })
    const entries = task.rollouts as Entry[]
    t.equal(entries.length, 6)
    t.same(entries, await rolloutsOf(task.id))
    const own = entries.filter(({ task_id }) => task_id === task.id)
    const others = entries.filter(({ task_id }) => task_id !== task.id)
    t.same(
      own.map(({ step }) => step),
      [1, 2, 3],
    )
    const [first, second, inner] = others
    const caller = own[1]?.rollout_id
    t.same([first?.parent_rollout_id, second?.parent_rollout_id], [caller, caller])
    t.equal(inner?.parent_rollout_id, second?.rollout_id)
    t.ok(entries.every(({ trace_id }) => trace_id === task.id))
    t.same(
      entries.map(({ position }) => position),
      entries.map(({ position }) => position).sort((a, b) => a - b),
    )
    const { frames: told } = await holds(t, tasks, task.id)
    t.equal(told.filter(({ type }) => type === 'task.rollout').length, 3, 'the stream holds its own')
    await holds(t, tasks, String(first?.task_id))
  },
)

t.test('a reward shows in the entries, before the end and after it', async t => {
  const task = await play([{ message: 'a' }, { pause: 'look' }, { message: 'b' }], { return_rollout: true })
  const given = await act(task.id, 'reward', { value: 0.25, name: 'style', data: { by: 'hand' } })
  t.equal(given.status, 200)
  t.match(given.body, { object: 'task', id: task.id, status: 'paused' }, 'the bare task')
  t.equal((await rolloutsOf(task.id)).at(-1)?.reward, 0.25)
  await act(task.id, 'resume')
  const done = await becomes(task.id, 'completed')
  t.equal((done.rollouts as Entry[]).at(-1)?.reward, 0.25)
  await holds(t, tasks, task.id)
  t.match(await act(task.id, 'reward', { value: -1 }), { status: 200, body: { status: 'completed' } })
  t.equal((await rolloutsOf(task.id)).at(-1)?.reward, -1)
  t.equal(((await get(task.id)).rollouts as Entry[]).at(-1)?.reward, -1)
  t.match((await act(task.id, 'replay')).body, { matches: true })
  t.match(
    parse(await (await api('GET', '/rollouts?limit=1000')).text())
      .filter(({ task_id }) => task_id === task.id)
      .at(-1),
    {
      reward: -1,
    },
  )
})

t.test('a reward is no frame, and what was streamed stays as it was', async t => {
  const told = await stream({ agent_config: script({ message: 'a' }), return_rollout: true })
  await told.rest()
  const id = told.response.headers.get('x-task-id') ?? ''
  await act(id, 'reward', { value: 1 })
  t.same(await frames(id), told.frames())
})

t.test('a value that is no number, or a task that is not there, gets no reward', async t => {
  const { id } = await play([{ message: 'a' }])
  const bodies: [unknown, RegExp][] = [
    [{}, /^body value missing$/],
    [{ value: '1' }, /^body value /],
    [{ value: null }, /^body value /],
    [{ value: true }, /^body value /],
    ['{"value":1e999}', /^body/],
    [{ value: 1, name: 1 }, /^body name /],
    ['{"value":NaN}', /json_invalid/],
  ]
  for (const [sent, problem] of bodies) {
    const { status, body } = await act(id, 'reward', sent)
    t.equal(status, 422, JSON.stringify(sent))
    t.match(brief(body.detail)[0], problem)
  }
  t.equal((await rolloutsOf(id)).at(-1)?.reward, null)
  t.match(await act('nothing', 'reward', { value: 1 }), { status: 404, body: { code: -32001 } })
})

t.test('all tasks come in bulk, by position, page by page', async t => {
  const bulk = async (query: string) => {
    const answered = await read(api('GET', `/rollouts?${query}`))
    t.equal(answered.status, 200)
    t.match(answered.headers.get('content-type'), 'application/x-ndjson')
    return parse(answered.text)
  }
  const all = await bulk('limit=1000')
  t.ok(all.length > 20)
  const paged: Entry[] = []
  for (let after = 0; ; ) {
    const page = await bulk(`after=${after}&limit=7`)
    paged.push(...page)
    if (page.length === 0) break
    t.ok(page.length <= 7)
    after = page.at(-1)?.position ?? 0
  }
  t.same(paged, all)
  t.equal(new Set(all.map(({ position }) => position)).size, all.length)
  const one = all[10]
  const own = (await rolloutsOf(one?.task_id ?? '')).find(({ position }) => position === one?.position)
  t.same(own, one)
  for (const query of [
    'limit=0',
    'limit=1001',
    'limit=x',
    'after=x',
    'after=-1',
    'after=1.5',
    'limit=',
    'after=999999999',
  ])
    t.equal((await api('GET', `/rollouts?${query}`)).status, 422, query)
})

t.test('of another user nothing is told, and of a deleted task nothing any more', async t => {
  const made = await read(api('POST', '/auth/tokens', { role: 'user', user_id: 'ann' }))
  const ann = apiOf(url, (made.body as unknown as { token: string }).token)
  const mine = await read(
    ann('POST', '/tasks', { user_message_content: 'x', stream: false, client_id: 'echo' }),
  )
  const { id } = mine.body.result
  const seen = parse(await (await ann('GET', '/rollouts')).text())
  t.same(
    seen.map(({ task_id }) => task_id),
    [id],
  )
  const foreign = await play([{ message: 'a' }])
  t.equal((await ann('GET', `/tasks/${foreign.id}/rollouts`)).status, 404)
  t.equal((await api('DELETE', `/tasks/${id}`)).status, 200)
  t.equal(await (await ann('GET', '/rollouts')).text(), '')
  t.equal((await ann('GET', `/tasks/${id}/rollouts`)).status, 404)
})

const saved = (folder: string, id: string) => path.join(dataDir, 'rollouts/default', folder, `${id}.jsonl`)
const whole = async (file: string) => {
  await until(() => existsSync(file))
  return readFileSync(file, 'utf8')
}
const linesOf = async (id: string) => (await api('GET', `/tasks/${id}/rollouts?format=jsonl`)).text()

t.test('a task may have its entries saved in a file below the rollouts of the data folder', async t => {
  const task = await play([sum, child({ message: 'b' }), end], {
    rollout_save_dir: 'mine/today',
    include_subagent_rollout: true,
  })
  t.equal(await whole(saved('mine/today', task.id)), await linesOf(task.id))
  t.same(
    readdirSync(path.join(dataDir, 'rollouts/default/mine/today')),
    [`${task.id}.jsonl`],
    'and nothing beside it',
  )
  t.equal(parse(await linesOf(task.id)).length, 4)
  for (const rollout_save_dir of ['../out', '/etc', 'a/../../b']) {
    const { status, body } = await post({ client_id: 'echo', rollout_save_dir })
    t.equal(status, 422, rollout_save_dir)
    t.match(brief(body.detail), [/^body rollout_save_dir /])
  }
})

t.test('a task that is canceled has what it did saved', async t => {
  const task = await play([{ message: 'a' }, { sleep_ms: 60_000 }], {
    rollout_save_dir: 'mine',
    background: true,
  })
  await until(async () => (await get(task.id)).output.length === 1)
  await act(task.id, 'cancel')
  t.equal(parse(await whole(saved('mine', task.id))).length, 1)
})

t.test(
  'a task may have its log written below the logs of the data folder, each frame with its time',
  async t => {
    const log = (folder: string, id: string) => path.join(dataDir, 'logs/default', folder, `${id}.jsonl`)
    const secret = 'sEcReT-of-the-log'
    const more = { log_dir: 'mine/today', rollout_save_dir: 'mine', env: { KEY: secret } }
    const task = await play([sum, child({ message: 'b' }), end], more)
    const text = await whole(log('mine/today', task.id))
    const lines = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>)
    const { body } = await read(api('GET', `/tasks/${task.id}/events?limit=1000`))
    t.same(
      lines.map(({ time: _, ...frame }) => frame),
      body.result,
    )
    const times = lines.map(({ time }) => String(time))
    t.same(times, [...times].sort(), 'in the order of their times')
    t.match(times[0], /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    t.notMatch(text, secret)
    t.same(readdirSync(path.join(dataDir, 'logs/default/mine/today')), [`${task.id}.jsonl`])
    t.equal(parse(await whole(saved('mine', task.id))).length, 3, 'beside its rollouts')

    const stopped = await play([{ message: 'a' }, { sleep_ms: 60_000 }], {
      log_dir: 'mine',
      background: true,
    })
    await until(async () => (await get(stopped.id)).output.length === 1)
    t.notOk(existsSync(log('mine', stopped.id)), 'when it ends')
    await act(stopped.id, 'cancel')
    t.match(await whole(log('mine', stopped.id)), /"type":"task.canceled"/)
    for (const log_dir of ['../out', '/etc', 'a/../../b']) {
      const answer = await post({ client_id: 'echo', log_dir })
      t.equal(answer.status, 422, log_dir)
      t.match(brief(answer.body.detail), [/^body log_dir /])
    }
  },
)

t.test('after a restart without read models all of it is the same to the byte', async t => {
  const steps = [{ message: 'a' }, child({ message: 'b' }), end]
  const more = { return_rollout: true, include_subagent_rollout: true, rollout_save_dir: 'kept' }
  const task = await play(steps, more)
  await act(task.id, 'reward', { value: 1 })
  const file = saved('kept', task.id)
  await whole(file)
  const writtenAt = statSync(file).mtimeMs
  const asked = [
    `/tasks/${task.id}`,
    `/tasks/${task.id}/rollouts?format=jsonl`,
    '/rollouts?limit=1000',
    `/tasks/${task.id}/events?limit=1000`,
    `/tasks/${task.id}?as_of=3`,
  ]
  const ask = (from: typeof api) =>
    Promise.all(
      asked.map(async where => (await from('GET', where, undefined, { 'x-request-id': 'r' })).text()),
    )
  const before = await ask(api)
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
  await stop()
  for (const name of readdirSync(dataDir)) if (name.startsWith('read.db')) rmSync(path.join(dataDir, name))
  const next = await serveHere(t, { DATA_DIR: dataDir })
  t.same(await ask(next.api), before)
  t.match(await (await next.api('POST', `/tasks/${task.id}/replay`)).json(), { matches: true })
  t.equal(statSync(file).mtimeMs >= writtenAt, true)
  t.equal(callsOf(task).length, 1)
  t.same(
    next.lines.filter(({ level }) => level === 'error'),
    [],
  )
})
