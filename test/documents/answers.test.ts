// What the server answers is what its OpenAPI document says: tasks of every kind, played and looked at.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { openApi } from '../../src/documents/openapi.ts'
import { operations as table } from '../../src/documents/operations.ts'
import { callId, result, script, tasksOf, tool } from '../http/agent-tasks.ts'
import { fakeModel } from '../support/fake-model.ts'
import { read, until } from '../support/http.ts'
import { adminToken, apiOf, serveHere } from '../support/server.ts'
import { follow } from '../support/sse.ts'
import { holdTo } from './described.ts'

const server = await serveHere(t)
const { operations, look, watched, seen, wrong } = holdTo(openApi())
const api = watched(server.api)
const { play, post, stream, get, act, answer, becomes } = tasksOf(api)

const sum = { tool: 'calculator', arguments: { expression: '6*7' } }
const ask = { tool: 'ask', arguments: {} }
const end = { message: 'so: $result' }
const asleep = { sleep_ms: 600_000 }
const background = { background: true }
const client_tools = [tool('ask'), tool('tell')]
const child = (...steps: object[]) => ({ subagent: 'script', input: JSON.stringify(steps) })
const sse = { accept: 'text/event-stream' }
/** What does not come under /v1. */
const outside = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(server.url + path, { headers })
  const text = await response.text()
  look({ method: 'GET', url: path }, { status: response.status, headers: response.headers, text })
  return { status: response.status, text }
}

t.test('tasks of every kind', async t => {
  const everything = [
    { reasoning: 'hm' },
    { message: 'one two three', delta_ms: 1 },
    { usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, cached: { a: 1 } } },
    { tools: [sum, { tool: 'nobody' }, { tool: 'agent_echo', arguments: { input: 'hi' } }] },
    child({ usage: { total_tokens: 5 } }, { fail: { code: -32000, message: 'no' } }),
    end,
  ]
  const more = {
    metadata: { mine: [1, null] },
    return_rollout: true,
    include_subagent_rollout: true,
  }
  t.equal((await play(everything, more)).status, 'completed')
  await (await stream({ agent_config: script(...everything), ...more, env: { KEY: 'hush' } })).rest()
  t.equal((await play([sum, { fail: { code: 7, message: 'no' } }])).status, 'failed')
  t.equal((await play([{ message: 'a' }], { structured_output: { type: 'object' } })).status, 'failed')
  for (const client_id of ['echo', 'demo']) await post({ client_id, user_message_content: 'what is 2+3*4?' })
  await (
    await stream({ client_id: 'demo', user_message_content: ['a', { type: 'text', text: '6*7' }] })
  ).rest()
  const history_messages = [
    { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'a' }] },
    result('c', 'd'),
  ]
  await play([end], { history_messages })
})

t.test('tasks that wait, are answered, and go on elsewhere', async t => {
  const waiting = await play([{ tools: [ask, { tool: 'tell' }] }, end], { client_tools })
  await (await stream({ agent_config: script(ask), client_tools })).rest()
  t.match(await act(waiting.id, 'resume'), { status: 400, body: { code: -32021 } })
  t.match(await answer(waiting.id, { call_id: 'nobody', message_content: 'a' }), { status: 422 })
  t.match(await act(waiting.id, 'input', { tool_results: [] }), { status: 422 })
  const approve = ['calculator']
  const { body: asked } = await post({
    agent_config: { ...script({ tool: 'calculator', arguments: { expression: '1' } }), approve },
  })
  const asking = (asked as { result: typeof waiting }).result
  const decide = (decision: string) => act(asking.id, 'approvals', { call_id: callId(asking), decision })
  t.match(await decide('refuse'), { status: 200 })
  t.match(await decide('approve'), { status: 400, body: { code: -32022 } })
  const part = {
    task_id: waiting.id,
    session_id: waiting.session_id,
    history_messages: [result(callId(waiting), 'a')],
  }
  t.match(await post(part), { status: 400, body: { error: { code: -32021 } } })
  t.equal(
    (
      await answer(waiting.id, {
        call_id: callId(waiting),
        message_content: 'a',
        block_list: [{ type: 'chart', x: 1 }],
      })
    ).status,
    200,
  )
  t.match(await answer(waiting.id, { call_id: callId(waiting), message_content: 'b' }), {
    status: 400,
    body: { code: -32022 },
  })
  await answer(waiting.id, { call_id: callId(waiting, 1), message_content: [{ type: 'text', text: 'b' }] })
  await becomes(waiting.id, 'completed')

  const session_id = 'elsewhere'
  const first = await play([ask, end], { client_tools, session_id })
  await post({ session_id, history_messages: [result(callId(first), 'me')], agent_config: script(end) })
  t.ok((await get(first.id)).metadata?.continued_by)
})

t.test('tasks that are paused, steered, judged, canceled and deleted', async t => {
  const paused = await play([sum, { pause: 'look' }, end])
  await (await stream({ agent_config: script({ pause: 'look' }) })).rest()
  t.equal(
    (await act(paused.id, 'messages', { content: 'look here' }, { 'idempotency-key': 'k' })).status,
    200,
  )
  t.equal(
    (await act(paused.id, 'messages', { content: 'look here' }, { 'idempotency-key': 'k' })).headers.get(
      'idempotency-replayed',
    ),
    'true',
  )
  t.match(await act(paused.id, 'messages', { content: 'there' }, { 'idempotency-key': 'k' }), { status: 409 })
  t.equal((await act(paused.id, 'resume')).status, 200)
  await becomes(paused.id, 'completed')
  for (const verb of ['pause', 'resume'])
    t.match(await act(paused.id, verb), { status: 400, body: { code: -32020 } })
  t.match(await act(paused.id, 'messages', { content: 'too late' }), { status: 400 })
  t.match(await act(paused.id, 'cancel'), { status: 400, body: { code: -32002 } })
  t.equal((await act(paused.id, 'reward', { value: 1, name: 'n', data: { x: 1 } })).status, 200)

  const working = await play([{ message: 'a b c', delta_ms: 30 }, asleep], { ...background, session_id: 'w' })
  const queued = await play([end], { ...background, session_id: 'w' })
  t.equal((await get(queued.id)).status, 'queued')
  await until(async () => (await get(working.id)).output.length === 1)
  t.equal((await act(working.id, 'pause')).status, 200)
  t.equal((await act(working.id, 'cancel')).status, 200)
  t.equal((await read(api('DELETE', `/tasks/${working.id}`))).status, 200)
  for (const [method, tail, body] of [
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/events'],
    ['GET', '/rollouts'],
    ['GET', '/machine'],
    ...['cancel', 'pause', 'resume', 'replay'].map(verb => ['POST', `/${verb}`] as const),
    ['POST', '/input', { tool_results: [{ call_id: 'c', message_content: '' }] }],
    ['POST', '/approvals', { call_id: 'c', decision: 'refuse' }],
    ['POST', '/messages', { content: 'x' }],
    ['POST', '/reward', { value: 1 }],
    ['POST', '/fork', { at: 0 }],
    ['GET', '/diff/mine'],
  ] as const) {
    t.match(
      await read(api(method, `/tasks/${working.id}${tail}`, body)),
      { status: 404 },
      `${method} ${tail}`,
    )
  }
})

t.test('the agents, and lists in short and counted', async t => {
  t.equal((await read(api('GET', '/agents'))).status, 200)
  t.equal((await read(api('GET', '/workers'))).status, 200)
  for (const fields of ['summary', 'counts']) {
    t.equal((await read(api('GET', `/tasks?limit=100&fields=${fields}`))).status, 200)
  }
})

t.test('creates that are refused', async t => {
  const own = { user_message_content: 'x', stream: false, client_id: 'echo', task_id: 'mine' }
  t.equal((await post(own)).status, 200)
  t.equal((await post(own)).headers.get('idempotency-replayed'), 'true')
  t.match(await post({ ...own, user_message_content: 'y' }), {
    status: 409,
    body: { error: { code: -32023 } },
  })
  t.match(await post({ ...own, metadata: { reason: 1 } }), { status: 422 })
  t.match(await read(api('POST', '/tasks', { stream: 1 })), { status: 422 })
  const { body } = await read(api('POST', '/auth/tokens', { role: 'user', user_id: 'alice', ttl: 3600 }))
  const alice = watched(apiOf(server.url, (body as unknown as { token: string }).token))
  const asAlice = (more: object) => read(alice('POST', '/tasks', { ...own, ...more }))
  t.match(await asAlice({ user_id: 'bob', task_id: 'new' }), { status: 403 })
  t.match(await asAlice({}), { status: 404, body: { error: { code: -32001 } } })
})

t.test('tasks of a model: what its endpoint said, and what was summed up', async t => {
  const { env } = await fakeModel(t, [
    { text: 'It was long.', usage: { prompt_tokens: 900, completion_tokens: 6 } },
    { tool_calls: [{ name: 'calculator', arguments: { expression: '6*7' } }], usage: false },
    {
      reasoning: 'So.',
      text: 'Right.',
      token_ids: true,
      logprobs: true,
      usage: { prompt_tokens: 9, completion_tokens: 2 },
    },
  ])
  const { api } = await serveHere(t, env)
  const model = tasksOf(watched(api))
  const history_messages = ['user', 'assistant', 'user', 'assistant'].map(role => ({
    type: 'message',
    role,
    message_content: 'word '.repeat(200),
  }))
  const opened = await model.stream({
    history_messages,
    agent_config: { max_model_length: 2000, compress_threshold_token_ratio: 0.25 },
    include_compress_model_rollout: true,
    return_rollout: true,
  })
  await opened.rest()
  const frames = opened.frames()
  for (const type of [
    'task.context_compression.completed',
    'task.rollout',
    'task.reasoning_text.delta',
    'task.tool_call_arguments.delta',
    'task.completed',
  ])
    t.ok(
      frames.some(frame => frame.type === type),
      type,
    )
  for (const format of ['json', 'jsonl', 'atif'])
    await watched(api)('GET', `/tasks/${frames[0]?.task_id}/rollouts?format=${format}`)
})

t.test('lists, the past, the log', async t => {
  t.equal((await api('GET', '/tasks?limit=2')).headers.has('link'), true)
  await api('GET', '/tasks?limit=100&include_subtasks=true&order=asc&status=completed&status[]=failed')
  t.equal((await api('GET', '/tasks?starting_after=nobody')).status, 422)
  t.equal((await api('GET', '/tasks/mine?as_of=0')).status, 200)
  t.equal((await api('GET', '/tasks/mine?as_of=999')).status, 422)
  for (const format of ['json', 'jsonl', 'atif'])
    t.equal((await api('GET', `/tasks/mine/rollouts?format=${format}`)).status, 200)
  t.equal((await api('GET', '/rollouts?limit=1000')).status, 200)
  t.equal((await act('mine', 'replay')).status, 200)
  t.equal((await act('mine', 'fork', { at: 1, task_id: 'forked' })).status, 200)
  t.equal((await act('mine', 'fork', { at: 2, task_id: 'forked' })).status, 409)
  t.equal((await act('mine', 'fork', { at: 999 })).status, 422)
  t.equal((await api('GET', '/tasks/mine/diff/forked')).status, 200)
  t.equal((await api('GET', '/tasks?as_of=position:1')).status, 200)
  t.equal((await api('GET', '/tasks/mine/machine')).status, 200)
  for (const query of ['', '?limit=5&after=3', '?stream=task-mine']) {
    t.equal((await api('GET', `/audit/events${query}`)).status, 200)
    const lines = await api('GET', `/audit/events${query}`, undefined, { accept: 'application/x-ndjson' })
    t.equal(lines.status, 200)
  }
  t.equal((await api('GET', '/audit/events?stream=nobody')).status, 404)
  t.equal((await api('GET', '/audit/streams?limit=1000')).status, 200)
})

t.test('streams that are taken up again', async t => {
  t.equal((await api('GET', '/tasks/mine/events?limit=3')).status, 200)
  t.equal((await api('GET', '/tasks/mine/events?starting_after=3', undefined, sse)).status, 200)
  t.equal((await api('GET', '/tasks/mine/events?starting_after=8', undefined, sse)).status, 204)
  t.equal((await api('GET', '/tasks/mine/events?after=99')).status, 422)
})

t.test('everything that happened', async t => {
  for (const query of ['?starting_after=earliest', '']) {
    const abort = new AbortController()
    const headers = { authorization: 'Bearer test-admin-token' }
    const opened = await follow(fetch(`${server.url}/api/events${query}`, { headers, signal: abort.signal }))
    if (query === '') await opened.until((_, text) => text.includes('event: Position'))
    else {
      const last = await post({ client_id: 'echo' })
      await opened.until((_, text) =>
        text.includes(
          `"task_id":"${last.body.result.id}","session_id":"${last.body.result.session_id}","old_status":"working"`,
        ),
      )
    }
    const { response } = opened
    const whole = opened.text().slice(0, opened.text().lastIndexOf('\n\n') + 2)
    look(
      { method: 'GET', url: `/api/events${query}` },
      { status: 200, headers: response.headers, text: whole },
    )
    abort.abort()
    if (query !== '')
      for (const name of [
        'TaskCreated',
        'TaskUpdated',
        'TaskStatusChanged',
        'TaskDeleted',
        'AgentSpawned',
        'AgentCompleted',
        'AgentError',
      ])
        t.match(whole, `event: ${name}\n`)
  }
})

t.test('cron jobs and their runs', async t => {
  const task = { user_message_content: 'go', agent_config: script({ sleep_ms: 600_000 }) }
  const settings = { schedule: '@yearly', jitter_seconds: 5, ends_at: '2999-01-01', max_runs: 5 }
  const { body } = await read(api('POST', '/cron/jobs', { name: 'a', task, ...settings }))
  const { job_id } = body as unknown as { job_id: string }
  const job = `/cron/jobs/${job_id}`
  const keyed = { 'idempotency-key': 'job' }
  t.equal((await api('POST', '/cron/jobs', { name: 'b', task, at: '2999-01-01' }, keyed)).status, 200)
  t.equal((await api('POST', '/cron/jobs', { name: 'c', task, at: '2999-01-01' }, keyed)).status, 409)
  t.equal((await api('POST', `${job}/trigger`)).status, 200)
  t.equal((await api('POST', `${job}/trigger`)).status, 409)
  for (const path of ['/cron/jobs', job, `${job}/runs`, `${job}/machine`])
    t.equal((await api('GET', path)).status, 200)
  t.equal((await api('POST', `${job}/pause`)).status, 200)
  t.equal((await api('GET', job)).status, 200)
  t.equal((await api('PATCH', job, { every_seconds: 60, max_runs: null })).status, 200)
  t.equal((await api('POST', `${job}/resume`)).status, 200)
  const ends = { name: 'c', task, enabled: false, every_seconds: 60, max_runs: 1 }
  const last = await read(api('POST', '/cron/jobs', { ...ends, every_seconds: 1, enabled: true }))
  const lastId = (last.body as unknown as { job_id: string }).job_id
  await until(async () => (await api('POST', `/cron/jobs/${lastId}/resume`)).status === 409)
  t.equal((await api('DELETE', job)).status, 200)
  for (const [method, tail] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/pause'],
    ['POST', '/resume'],
    ['POST', '/trigger'],
    ['GET', '/runs'],
    ['GET', '/machine'],
  ] as const) {
    t.equal((await api(method, job + tail, method === 'PATCH' ? {} : undefined)).status, 404)
  }
})

t.test('checkpoints, proofs and tiles', async t => {
  for (const path of [
    'checkpoint',
    'public-key',
    'proof?position=1',
    'consistency?from=1',
    'tlog/checkpoint',
  ])
    t.equal((await api('GET', `/audit/${path}`)).status, 200, path)
  const { body } = await read(api('GET', '/audit/consistency'))
  const { to } = body as unknown as { to: number }
  const tile = to < 256 ? `000.p%2F${to}` : '000'
  for (const path of [`tile/0/${tile}`, `tile/entries/${tile}`])
    t.equal((await api('GET', `/audit/tlog/${path}`)).status, 200, path)
  for (const path of ['tile/0/x999%2F999', 'tile/entries/x999%2F999'])
    t.equal((await api('GET', `/audit/tlog/${path}`)).status, 404, path)
  t.equal((await api('POST', '/audit/rotate-key')).status, 200)
  t.equal((await api('GET', '/audit/export?all=true')).status, 200)
  t.equal((await api('GET', '/audit/export?task_id=nothing')).status, 404)
})

t.test('tokens and tickets', async t => {
  const { body } = await read(api('POST', '/auth/tokens', { role: 'subscriber' }))
  const { id } = body as unknown as { id: string }
  t.equal((await api('GET', '/auth/tokens')).status, 200)
  t.equal((await api('DELETE', `/auth/tokens/${id}`)).status, 200)
  t.equal((await api('DELETE', `/auth/tokens/${id}`)).status, 404)
  t.equal((await api('POST', '/auth/stream-ticket')).status, 200)
  t.equal((await api('GET', '/auth/token')).status, 200)
  const link = await read(api('POST', '/auth/login-ticket'))
  const { ticket } = link.body as unknown as { ticket: string }
  t.equal((await api('POST', '/auth/login', { ticket })).status, 200)
  t.equal((await api('POST', '/auth/login', { ticket })).status, 401)
})

t.test('the past hour', async t => {
  t.equal((await api('GET', '/metrics/past-hour')).status, 200)
  t.equal((await api('GET', '/metrics/past-hour?after=x')).status, 422)
})

t.test('what needs no token', async t => {
  for (const path of [
    '/',
    '/healthz',
    '/readyz',
    '/metrics',
    '/docs',
    '/ui',
    '/openapi.json',
    '/asyncapi.json',
  ])
    t.equal((await outside(path)).status, 200, path)
  t.equal((await outside('/ws')).status, 426)
})

t.test('environments and their sessions', async t => {
  const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    read(api(method, `/env${path}`, body, headers))
  const of = { session_id: 'maze' }
  const east = { ...of, tool_name: 'move', tool_args: { direction: 'east' } }
  const env_init_kwargs = { map: '####\n#@G#\n####' }
  t.equal((await call('GET', '?limit=2')).status, 200)
  t.equal((await call('GET', '/gridworld')).status, 200)
  t.match(await call('GET', '/nobody'), { status: 404, body: { code: -32024, detail: String } })
  const given = { ...of, env_id: 'gridworld', env_init_kwargs, env_vars: { KEY: 'hush' } }
  t.equal((await call('POST', '/create', given)).status, 200)
  t.equal((await call('POST', '/create', given)).status, 200)
  t.match(await call('POST', '/create', { ...given, env_init_kwargs: {} }), { status: 409 })
  t.match(await call('POST', '/create', { ...given, env_init_kwargs: { keys: 'a' } }), { status: 422 })
  t.match(await call('POST', '/create', { env_class_path: 'nobody' }), {
    status: 404,
    body: { code: -32024 },
  })

  t.match(await call('POST', '/step', { ...east, tool_name: 'fly' }), { status: 422 })
  t.equal((await call('POST', '/step', { ...of, tool_name: 'pick_up' })).status, 200, 'a tool that fails')
  const keyed = { 'idempotency-key': 'k' }
  t.match(await call('POST', '/step', { ...of, tool_name: 'look', stream: true }, keyed), { status: 200 })
  t.match(await call('POST', '/step', east, keyed), { status: 409, body: { code: -32023 } })
  t.match(await call('POST', '/step', { ...east, expected_step: 9 }), { status: 409 })
  t.match(await call('POST', '/step', { ...east, task_id: 'mine' }), { status: 200, body: { done: true } })
  t.match(await call('POST', '/step', east), { status: 400, body: { code: -32026 } })
  t.match(await call('POST', '/step', { ...east, stream: true }), { status: 400 })
  const other = { 'idempotency-key': 'other' }
  t.match(await call('POST', '/step', { ...east, stream: true }, other), { status: 400 })
  t.equal((await call('POST', '/reset', { ...of, seed: 7 })).status, 200)
  t.equal((await call('POST', '/reset', { ...of, seed: 7 }, { 'idempotency-key': 'r' })).status, 200)
  t.match(await call('POST', '/reset', { ...of, seed: 8 }, { 'idempotency-key': 'r' }), { status: 409 })
  t.equal((await call('POST', '/observation', of)).status, 200)
  for (const path of ['/sessions', '/sessions?user_id=default', '/session/maze', '/session/maze/machine'])
    t.equal((await call('GET', path)).status, 200, path)
  t.equal((await call('POST', '/close', of)).status, 200)
  t.match(await call('POST', '/observation', of), { status: 404, body: { code: -32025, detail: String } })
  t.match(await call('GET', '/session/maze'), { status: 200, body: { close_reason: 'closed' } })
  t.equal((await call('POST', '/create', given)).status, 200)
  t.match(await call('POST', '/sessions/cleanup?inactive_seconds=0'), { status: 200 })
  t.equal((await call('DELETE', '/session/maze')).status, 200)
  for (const [method, path, body] of [
    ['GET', '/session/maze'],
    ['GET', '/session/maze/machine'],
    ['DELETE', '/session/maze'],
    ['POST', '/step', { ...of, tool_name: 'look' }],
    ['POST', '/reset', of],
    ['POST', '/close', of],
  ] as const)
    t.match(await call(method, path, body), { status: 404, body: { code: -32025 } }, `${method} ${path}`)
})

t.test('webhooks', async t => {
  const call = async (method: string, path: string, body?: unknown, headers = {}) =>
    read(api(method, `/webhooks${path}`, body, headers))
  const key = { 'idempotency-key': 'of a webhook' }
  const made = await call('POST', '', { url: 'http://hooks.invalid/', enabled: false }, key)
  t.equal((await call('POST', '', { url: 'http://hooks.invalid/', enabled: true }, key)).status, 409)
  const at = `/${made.body.id}`
  t.equal(made.status, 200)
  t.equal((await call('GET', '?limit=1')).status, 200)
  t.equal((await call('GET', '?cursor=nobody')).status, 422)
  t.equal((await call('GET', at)).status, 200)
  t.match(await call('PATCH', at, { types: ['TaskCreated'] }), {
    status: 200,
    body: { types: ['TaskCreated'] },
  })
  t.match(await call('POST', `${at}/rotate-secret`), { status: 200, body: { secret: /^whsec_/ } })
  t.match(await call('POST', `${at}/test`), { status: 200, body: { delivered: false, error: /./ } })
  t.equal((await call('PATCH', at, { enabled: true })).status, 200)
  const task = { user_message_content: 'x', stream: false, client_id: 'echo' }
  t.equal((await read(api('POST', '/tasks', task))).status, 200)
  type Listed = { data: { id: string }[] }
  const list = async () => (await call('GET', `${at}/deliveries`)).body as unknown as Listed
  let { data } = await list()
  while (data.length === 0) data = (await list()).data
  t.match(data, [{ type: 'TaskCreated', outcome: 'failed', attempts: 1 }])
  const one = `${at}/deliveries/${data[0]?.id}/redeliver`
  t.match(await call('POST', one), { status: 200, body: { delivered: false } })
  t.equal((await call('DELETE', at)).status, 200)
  for (const [method, path] of [
    ['GET', at],
    ['PATCH', at],
    ['DELETE', at],
    ['POST', `${at}/rotate-secret`],
    ['POST', `${at}/test`],
    ['GET', `${at}/deliveries`],
    ['POST', one],
  ] as const)
    t.equal((await call(method, path, method === 'PATCH' ? {} : undefined)).status, 404, `${method} ${path}`)
})

t.test('a session whose module has changed since it was created', async t => {
  const module =
    'export default class { reset() {} observe() { return {} } tools() { return [] } step() { return { content: "" } } }\n'
  const folder = t.testdir({ envs: { 'door.mjs': module }, data: {} })
  const settings = { ENV_PATH: path.join(folder, 'envs'), DATA_DIR: path.join(folder, 'data') }
  const first = await serveHere(t, settings)
  const given = { session_id: 'door', env_class_path: 'door#default' }
  t.equal((await read(first.api('POST', '/env/create', given))).status, 200)
  await first.stop()
  writeFileSync(path.join(settings.ENV_PATH, 'door.mjs'), `${module}// changed\n`)
  const then = await serveHere(t, settings)
  const seen = await read(watched(then.api)('POST', '/env/observation', { session_id: 'door' }))
  t.match(seen, { status: 409, body: { code: -32023, data: { reason: /^code changed/ } } })
})

t.test('MCP', async t => {
  const messages = async (body: object, headers: Record<string, string> = {}) => {
    const given = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const authorization = `Bearer ${adminToken}`
    const method = 'POST'
    const sent = { method, headers: { authorization, ...given, ...headers }, body: JSON.stringify(body) }
    const answer = await fetch(`${server.url}/mcp`, sent)
    const { status, headers: got } = answer
    look({ method, url: '/mcp' }, { status, headers: got, text: await answer.text() })
    return status
  }
  const request = { jsonrpc: '2.0', id: 1 }
  const discover = table.find(({ id }) => id === 'mcp')?.body?.examples.discover?.value as object
  const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' }
  t.equal(await messages(discover, modern), 200)
  t.equal(await messages(discover), 400)
  t.equal(await messages({ ...discover, method: 'none' }, { ...modern, 'mcp-method': 'none' }), 404)
  const older = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  t.equal(await messages({ ...request, method: 'initialize', params: older }), 200)
  t.equal(await messages({ jsonrpc: '2.0', method: 'notifications/initialized' }), 202)
  t.equal(await messages([]), 400)
  t.equal(await messages({}, { origin: 'https://elsewhere.example' }), 403)
  t.equal((await outside('/.well-known/oauth-protected-resource/mcp')).status, 200)
})

t.test('OpenAI’s protocols', async t => {
  const chat = (body: object) =>
    api('POST', '/chat/completions', {
      model: 'echo',
      messages: [{ role: 'user', content: 'a' }],
      ...body,
    }).then(read)
  const respond = async (body: object, headers: Record<string, string> = {}) => {
    const answer = await read(api('POST', '/responses', { model: 'echo', input: 'a', ...body }, headers))
    return { status: answer.status, body: answer.body as unknown as { id: string; status: string } }
  }
  const key = { 'idempotency-key': 'doors' }
  const first = await respond({}, key)
  t.same(await respond({}, key), first)
  t.equal((await respond({ input: 'b' }, key)).status, 409)
  t.equal((await respond({ stream: true })).status, 200)
  t.equal((await respond({ model: 'nobody' })).status, 404)
  const { id } = (await respond({ background: true, previous_response_id: first.body.id })).body
  for (const [path, status] of [
    [`/responses/${id}`, 200],
    [`/responses/${id}?stream=true`, 200],
    ['/responses/resp_none', 404],
    [`/responses/${id}/input_items`, 200],
    ['/responses/resp_none/input_items', 404],
    ['/models', 200],
    ['/models/echo', 200],
    ['/models/nobody', 404],
  ] as const)
    t.equal((await api('GET', path)).status, status, path)
  t.equal((await api('POST', `/responses/${id}/cancel`)).status, 200)
  t.equal((await api('POST', '/responses/resp_none/cancel')).status, 404)
  t.equal((await api('DELETE', `/responses/${id}`)).status, 200)
  t.equal((await api('DELETE', '/responses/resp_none')).status, 404)
  t.equal((await chat({})).status, 200)
  t.equal((await chat({ stream: true, stream_options: { include_usage: true } })).status, 200)
  t.equal((await chat({ model: 'nobody' })).status, 404)
  const chatKey = { 'idempotency-key': 'chat' }
  const message = (content: string) => ({ model: 'echo', messages: [{ role: 'user', content }] })
  t.equal((await api('POST', '/chat/completions', message('a'), chatKey)).status, 200)
  t.equal((await api('POST', '/chat/completions', message('b'), chatKey)).status, 409)
  const group = await chat({ model: 'group' })
  t.equal(group.status, 400)
  const model = await fakeModel(t, [{ error: { status: 400, message: 'no' } }])
  const withModel = await serveHere(t, model.env)
  const failed = await watched(withModel.api)('POST', '/chat/completions', {
    model: 'model',
    messages: [{ role: 'user', content: 'a' }],
  })
  t.equal(failed.status, 424)
})

t.test('AG-UI', async t => {
  const run = async (body: object, agent = 'demo') => {
    const url = `/ag-ui/${agent}`
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
    const given = { threadId: 'thread', messages: [], ...body }
    const response = await fetch(server.url + url, { method: 'POST', headers, body: JSON.stringify(given) })
    const text = await response.text()
    look({ method: 'POST', url, body: given }, { status: response.status, headers: response.headers, text })
    return { status: response.status, text }
  }
  const parameters = { type: 'object', required: ['color'], properties: { color: { type: 'string' } } }
  const asked = { id: '1', role: 'user', content: 'paint red' }
  const first = await run({ runId: 'run-1', messages: [asked], tools: [{ name: 'paint', parameters }] })
  const toolCallId = /"toolCallId":"([^"]+)"/.exec(first.text)?.[1]
  const answer = (content: string) => ({ id: '2', role: 'tool', toolCallId, content })
  t.equal((await run({ runId: 'run-2', messages: [asked, answer('yes')] })).status, 200)
  t.equal((await run({ runId: 'run-3', messages: [asked, answer('no')] })).status, 400)
  t.equal((await run({ runId: 'run-1', threadId: 'other' })).status, 409)
  t.equal((await run({ runId: 'run-4' }, 'nobody')).status, 404)
})

t.test('A2A, by JSON-RPC and by HTTP+JSON, of the default agent and of a named one', async t => {
  let ids = 0
  const sleeps = `import { agent } from 'reprise/agent'
export default agent(async ctx => (ctx.input.text === 'sleep' ? ctx.sleep(600000) : ctx.input.text))`
  const AGENT_PATH = t.testdir({ 'sleeps.mjs': sleeps })
  const { url } = await serveHere(t, { AGENT_PATH, ENV_UID_BASE: '0' })
  const hello = (text: string) => ({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } })
  for (const root of ['/a2a', '/a2a/sleeps']) {
    const send = async (
      method: string,
      where: string,
      body?: object,
      headers: Record<string, string> = {},
    ) => {
      const response = await fetch(`${url}${root}${where}`, {
        method,
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      look({ method, url: root + where, body }, { status: response.status, headers: response.headers, text })
      return { status: response.status, text }
    }
    const key = { 'idempotency-key': root }
    const first = await send('POST', '/message:send', hello('a'), key)
    const { task } = JSON.parse(first.text) as { task: { id: string; contextId: string } }
    const rpc = (method: string, params: object, headers: Record<string, string> = {}) =>
      send('POST', '', { jsonrpc: '2.0', id: ids++, method, params }, headers)
    t.match(await rpc('GetTask', { id: task.id }), { status: 200, text: /"result"/ })
    t.match(await rpc('GetTask', { id: 'none' }), { status: 200, text: /-32001/ })
    t.equal((await rpc('GetTask', { id: task.id, tenant: 'nobody' })).status, 404)
    t.match(await rpc('SendStreamingMessage', hello('a')), { status: 200, text: /^data: /m })
    t.equal((await rpc('SendMessage', hello('b'), key)).status, 409)
    t.equal((await send('POST', '/message:send', hello('b'), key)).status, 409)
    t.equal((await send('POST', '/message:stream', hello('b'), key)).status, 409)
    t.equal((await send('POST', '/message:stream', hello('a'))).status, 200)
    const late = { message: { ...hello('a').message, messageId: 'late', taskId: task.id } }
    t.equal((await send('POST', '/message:send', late)).status, 400)
    for (const where of ['/message:send', '/message:stream'])
      t.equal((await send('POST', where, { message: { ...late.message, taskId: 'none' } })).status, 404)
    for (const where of ['/tasks', `/tasks/${task.id}`, `/tasks/${task.id}/pushNotificationConfigs`])
      t.equal((await send('GET', where)).status, 200, where)
    for (const where of ['/tasks/none', '/tasks/none/pushNotificationConfigs', '/tasks?tenant=nobody'])
      t.equal((await send('GET', where)).status, 404, where)
    const resumed = { 'last-event-id': '0' }
    t.equal((await send('GET', `/tasks/${task.id}:subscribe`, undefined, resumed)).status, 200)
    t.equal((await send('POST', `/tasks/${task.id}:subscribe`, undefined, resumed)).status, 200)
    t.equal((await send('POST', `/tasks/${task.id}:cancel`)).status, 400)
    t.equal((await send('POST', '/tasks/none:cancel')).status, 404)
    const sleepy = { ...hello('sleep'), configuration: { returnImmediately: true } }
    const sent = await send('POST', '/message:send', { ...sleepy, tenant: 'sleeps' })
    const asleep = JSON.parse(sent.text) as { task: { id: string } }
    const ofAgent = '?tenant=sleeps'
    const configs = `/tasks/${asleep.task.id}/pushNotificationConfigs`
    const config = { id: 'mine', url: 'https://hooks.example.com/', token: 'secret' }
    t.equal((await send('POST', `${configs}${ofAgent}`, config)).status, 200)
    t.equal((await send('POST', '/tasks/none/pushNotificationConfigs', config)).status, 404)
    t.equal((await send('GET', `${configs}/mine${ofAgent}`)).status, 200)
    t.equal((await send('GET', `${configs}/other${ofAgent}`)).status, 404)
    for (const _twice of [1, 2]) t.equal((await send('DELETE', `${configs}/mine${ofAgent}`)).status, 200)
    t.equal((await send('DELETE', '/tasks/none/pushNotificationConfigs/mine')).status, 404)
    t.equal((await send('POST', `/tasks/${asleep.task.id}:cancel${ofAgent}`)).status, 200)
    t.equal((await send('GET', '/extendedAgentCard')).status, 400)
    t.equal((await send('GET', '/extendedAgentCard?tenant=nobody')).status, 404)
  }
  for (const [path, status] of [
    ['/.well-known/agent-card.json', 200],
    ['/a2a/echo/.well-known/agent-card.json', 200],
    ['/a2a/nobody/.well-known/agent-card.json', 404],
  ] as const)
    t.equal((await outside(path)).status, status, path)
})

t.test('erasures and holds', async t => {
  const of = { user_id: 'gone' }
  const task = { ...of, user_message_content: 'x', client_id: 'echo', stream: false }
  const { body } = await read(api('POST', '/tasks', task))
  const session = { ...of, session_id: 'kept', env_id: 'gridworld' }
  t.equal((await read(api('POST', '/env/create', session))).status, 200)
  t.equal((await read(api('DELETE', '/env/session/kept?erase=true&reason=asked'))).status, 409)
  t.equal((await read(api('DELETE', '/env/session/kept'))).status, 200)
  const hold = { ...of, reason: 'a lawsuit' }
  t.equal((await read(api('POST', '/audit/holds', hold))).status, 200)
  t.equal((await read(api('GET', '/audit/holds'))).status, 200)
  const erase = `/tasks/${body.result.id}?erase=true&reason=asked`
  for (const path of [erase, '/users/gone/data?reason=asked'])
    t.equal((await read(api('DELETE', path))).status, 409, path)
  t.equal((await read(api('DELETE', '/audit/holds', hold))).status, 200)
  t.equal((await read(api('DELETE', '/audit/holds', hold))).status, 404)
  t.equal((await read(api('DELETE', '/users/gone/data?reason=asked'))).status, 200)
  t.equal((await read(api('DELETE', '/users/nobody/data?reason=asked'))).status, 404)
})

t.test('every answer was described, and every description answered', async t => {
  t.same(wrong, [])
  // Looked at for every operation in routes.test.ts, or not to be had without a fault or a crowd.
  // A WebSocket is opened in http/socket.
  const elsewhere = new Set(['101', '401', '403', '408', '413', '415', '422', '429', '500', '503'])
  const doors = new Set(table.flatMap(({ id, errors }) => (errors === undefined ? [] : [id as string])))
  const described = operations.flatMap(({ described: { operationId, responses } }) =>
    Object.entries(responses)
      .filter(([status]) => !elsewhere.has(status))
      // OpenAI’s doors answer 400 where others answer 422.
      .filter(([status]) => status !== '400' || !doors.has(operationId))
      .flatMap(([status, { content }]) =>
        status === '200'
          ? Object.keys(content ?? {}).map(type => `${operationId} 200 ${type}`)
          : [`${operationId} ${status}`],
      ),
  )
  t.same(
    described.filter(each => !seen.has(each)),
    [],
  )
})
