// GET /metrics: what a server does in numbers, for anybody who may reach it, and of nobody in particular.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { conditionCodes } from '../../src/cluster/conditions.ts'
import { taskStatuses } from '../../src/contract/wire.ts'
import { clusterFamilies } from '../../src/metrics/cluster-families.ts'
import { storedEvents } from '../server/stored-log.ts'
import { fakeModel, says } from '../support/fake-model.ts'
import { exchange, read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { script, tasksOf, tool } from './agent-tasks.ts'
import { families, histogramFaults, sampleOf } from './exposition.ts'

const model = await fakeModel(t, [says('one'), says('two')])
const { api, url, dataDir, lines } = await serveHere(t, { ...model.env, NATS_URL: 'nats://127.0.0.1:1' })
const { play, post, act, becomes } = tasksOf(api)

const scrape = async () => {
  const response = await fetch(`${url}/metrics`)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${text}`)
  return { text, found: families(text), type: response.headers.get('content-type') }
}
/** The further metrics of a node of a cluster. */
const ofNodes = clusterFamilies(() => {
  throw new Error('no values are needed')
})
const duration = 'reprise_http_request_duration_seconds'
const effects = async () => {
  const { found } = await scrape()
  return Object.fromEntries(
    (found.get('reprise_effects_total')?.samples ?? [])
      .filter(({ value }) => value > 0)
      .map(({ labels: { kind, outcome }, value }) => [`${kind} ${outcome}`, value]),
  )
}

t.test('it needs no token, and Prometheus can read it', async t => {
  const { found, type } = await scrape()
  t.equal(type, 'text/plain; version=0.0.4; charset=utf-8')
  for (const [name, { help, type, samples }] of found) {
    t.match(type, /^(counter|gauge|histogram)$/, name)
    t.ok(help.length > 0, name)
    if (type === 'counter') t.match(name, /_total$/)
    if (type === 'histogram') t.same(histogramFaults({ help, type, samples }), [], name)
  }
  const start = sampleOf(found, 'process_start_time_seconds') ?? 0
  t.ok(start > Date.now() / 1000 - 3600 && start <= Date.now() / 1000)
  t.equal(sampleOf(found, 'reprise_log_failing'), 0)
  t.equal(sampleOf(found, 'reprise_read_models_lag_positions'), 0)
})

t.test('what was stored is counted, as the log itself says', async t => {
  await play([{ message: 'a' }, { tool: 'calculator', arguments: { expression: '1+1' } }, { message: 'b' }])
  const paused = await play([{ pause: 'why' }])
  const busy = await post({ background: true, agent_config: script({ sleep_ms: 600_000 }), session_id: 's' })
  const next = await post({ background: true, client_id: 'echo', session_id: 's' })
  await until(() =>
    storedEvents(dataDir).some(
      ({ stream, type }) => stream === `task-${busy.body.result.id}` && type === 'AgentStepStarted',
    ),
  ) // the last event
  const stored = storedEvents(dataDir)
  // The file shows a commit a moment before it is durable, and the server counts it after that.
  await until(async () => sampleOf((await scrape()).found, 'reprise_log_head_position') === stored.length)
  const { found } = await scrape()
  const types = new Map<string, number>()
  for (const { type } of stored) types.set(type, (types.get(type) ?? 0) + 1)
  t.same(
    Object.fromEntries(
      (found.get('reprise_appended_events_total')?.samples ?? []).map(({ labels, value }) => [
        labels.type,
        value,
      ]),
    ),
    Object.fromEntries(types),
  )
  t.equal(sampleOf(found, 'reprise_log_head_position'), stored.length)
  t.equal(sampleOf(found, 'reprise_commit_batch_events', {}, '_sum'), stored.length)
  const commits = sampleOf(found, 'reprise_commit_batch_events', {}, '_count') ?? 0
  const appends = sampleOf(found, 'reprise_append_duration_seconds', {}, '_count') ?? 0
  t.equal(sampleOf(found, 'reprise_commit_duration_seconds', {}, '_count'), commits)
  t.ok(commits > 0 && appends >= commits)
  t.equal(
    sampleOf(found, 'reprise_turns_total'),
    appends - 1,
    'all but the key of the log were turns of tasks',
  )
  t.same(
    found.get('reprise_tasks')?.samples.map(({ labels, value }) => [labels.status, value]),
    taskStatuses.map(status => [
      status,
      ({ completed: 1, paused: 1, working: 1, queued: 1 } as Record<string, number>)[status] ?? 0,
    ]),
  )
  t.equal(sampleOf(found, 'reprise_running_tasks'), 1)
  t.equal(sampleOf(found, 'reprise_queue_length'), 1)
  await act(busy.body.result.id, 'cancel')
  await act(paused.id, 'cancel')
  await becomes(next.body.result.id, 'completed')
})

t.test('effects are counted by kind and by how they ended', async t => {
  const counted = async (work: () => Promise<unknown>) => {
    const before = await effects()
    await work()
    const after = await effects()
    return Object.fromEntries(
      Object.entries(after)
        .map(([key, value]) => [key, value - (before[key] ?? 0)] as const)
        .filter(([, more]) => more > 0),
    )
  }
  const sleeper = script({ subagent: 'script', input: JSON.stringify([{ sleep_ms: 600_000 }]) })
  t.same(
    await counted(() =>
      play([
        { tool: 'calculator', arguments: { expression: '1+1' } },
        { tool: 'read_file', arguments: { path: 'none' } },
        { tool: 'unknown', arguments: {} },
        { message: 'end' },
      ]),
    ),
    { 'model completed': 4, 'tool completed': 1, 'tool failed': 1 },
    'what was refused never ran',
  )
  t.same(await counted(() => play([{ fail: { code: -32000, message: 'no' } }])), { 'model failed': 1 })
  t.same(
    await counted(() => play([{ subagent: 'echo', input: 'x' }, { message: 'end' }])),
    { 'child completed': 1, 'model completed': 3 },
    "the subagent's own step is one, too",
  )
  const canceled = (agent_config: object, isReady: () => Promise<boolean>) =>
    counted(async () => {
      const { body } = await post({ background: true, agent_config })
      await becomes(body.result.id, 'working')
      await until(isReady)
      await act(body.result.id, 'cancel')
    })
  const intended = () => storedEvents(dataDir).filter(({ type }) => type === 'EffectIntended').length
  const then = intended()
  t.same(await canceled(script({ sleep_ms: 600_000 }), async () => true), { 'model stopped': 1 })
  t.same(await canceled(sleeper, async () => intended() > then), {
    'child stopped': 1,
    'model completed': 1,
    'model stopped': 1,
  })
  const { found } = await scrape()
  t.equal(
    found.get('reprise_effects_total')?.samples.length,
    12,
    'every kind and outcome is there from the start',
  )
})

t.test('calls of a model, and their tokens', async t => {
  await post({ client_id: 'model' })
  await post({ client_id: 'model' })
  const { found } = await scrape()
  t.equal(sampleOf(found, 'reprise_model_calls_total'), 2)
  t.equal(sampleOf(found, 'reprise_model_tokens_total', { direction: 'input' }), 14)
  t.equal(sampleOf(found, 'reprise_model_tokens_total', { direction: 'output' }), 6)
})

t.test('requests are counted by the pattern of their route, and an open stream is seen', async t => {
  const count = async (labels: Record<string, string>) =>
    sampleOf((await scrape()).found, duration, labels, '_count') ?? 0
  const labels = { method: 'GET', route: '/v1/tasks/:task_id', status: '404' }
  const before = await count(labels)
  for (const id of ['a', 'b', 'c']) await read(api('GET', `/tasks/${id}`))
  await until(async () => (await count(labels)) === before + 3)

  const { body } = await post({ background: true, agent_config: script({ sleep_ms: 600_000 }) })
  const open = async (kind: string) => sampleOf((await scrape()).found, 'reprise_open_streams', { kind })
  const stop = new AbortController()
  const headers = { accept: 'text/event-stream', authorization: 'Bearer test-admin-token' }
  await Promise.all(
    [`/v1/tasks/${body.result.id}/events`, '/api/events', '/api/events'].map(where =>
      fetch(url + where, { headers, signal: stop.signal }),
    ),
  )
  t.equal(await open('task'), 1)
  t.equal(await open('events'), 2)
  stop.abort()
  await until(async () => (await open('task')) === 0 && (await open('events')) === 0)
  t.equal(await count({ method: 'GET', route: '/api/events', status: '200' }), 2)
  await act(body.result.id, 'cancel')
})

t.test('no caller can put a word of its own into it, nor make it grow', async t => {
  const mark = 'MaRkEd'
  const body = {
    task_id: `${mark}-task`,
    session_id: `${mark}-session`,
    user_id: `${mark}-user`,
    request_id: `${mark}-request`,
    metadata: { [mark]: mark },
    client_tools: [tool(`${mark}_tool`)],
    agent_config: { ...script({ tool: `${mark}_tool`, arguments: {} }), model: mark, name: mark },
    user_message_content: mark,
  }
  await post(body, { 'idempotency-key': mark, 'user-agent': mark })
  const strange = async (n: number) => {
    await read(api('GET', `/tasks/${mark}${n}?x=${mark}`))
    await read(api('GET', `/${mark}${n}`))
    await read(api('POST', `/tasks/${mark}${n}/cancel`))
    await exchange(url, `PROPFIND /${mark}${n} HTTP/1.1\r\nHost: ${mark}\r\nConnection: close\r\n\r\n`)
  }
  const size = async () =>
    (await scrape()).text.split('\n').filter(line => line.startsWith('reprise_')).length
  await strange(0)
  await scrape()
  const before = await size()
  for (let n = 1; n < 10; n++) await strange(n)
  t.equal(await size(), before)
  t.notOk((await scrape()).text.includes(mark))
})

t.test('read models that fall behind are seen, and seen to catch up', async t => {
  const lag = async () => sampleOf((await scrape()).found, 'reprise_read_models_lag_positions') ?? 0
  const db = new Database(path.join(dataDir, 'read.db'))
  t.teardown(() => db.close())
  db.exec(`CREATE TRIGGER in_the_way BEFORE INSERT ON items BEGIN SELECT RAISE(ABORT, 'not now'); END`)
  await post({ client_id: 'echo' })
  await until(async () => (await lag()) > 0)
  db.exec('DROP TRIGGER in_the_way')
  await until(async () => (await lag()) === 0)
})

t.test('the document tells every metric, and no other', async t => {
  const document = readFileSync(path.resolve(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  const told = new Set([...document.matchAll(/`(reprise_\w+?)(?:\{|`)/g)].map(([, name]) => name))
  const here = [...(await scrape()).found.keys()].filter(name => name.startsWith('reprise_'))
  const ours = [...here, ...ofNodes.map(({ name }) => name)]
  t.same([...told].sort(), ours.sort())
})

t.test('each metric and each condition in the alerts exists', async t => {
  const document = readFileSync(path.resolve(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  const [, alerts = ''] = document.split('## What to alert on')
  const [section = ''] = alerts.split('\n## ')
  const names = new Set([...(await scrape()).found.keys(), ...ofNodes.map(({ name }) => name)])
  const used = [...section.matchAll(/\b(?:reprise|nodejs|process)_[a-z\d_]+/g)].map(([name]) => name)
  t.ok(used.length > 25)
  t.same(
    used.filter(name => !names.has(name) && !names.has(name.replace(/_(bucket|count|sum)$/, ''))),
    [],
  )
  const codes = [...section.matchAll(/code=~?"([^"]+)"/g)].flatMap(([, list = '']) => list.split('|'))
  t.same([...new Set(codes)].sort(), [...conditionCodes].sort(), 'and each condition has an alert')
})

t.test('the operator was told of no fault but the one that was made', async t => {
  const errors = lines.filter(({ level }) => level === 'error')
  t.match(errors, [{ message: /^the read models stopped/ }])
})
