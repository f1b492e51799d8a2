// A task with a model, killed before and after each of its commits and, as a process, in the middle of its calls:
// it ends the same, does nothing twice that must not be done twice, and its rollouts are what the model received.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { createConfiguredEndpoint } from '../../src/agents/model/configured-endpoint.ts'
import { model } from '../../src/agents/model/model.ts'
import type { CreateTaskBody, OutputItem, Task } from '../../src/contract/wire.ts'
import type { Rollout } from '../../src/history/rollout.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import type { Row, Store } from '../../src/log/store.ts'
import { problemsIn, tasksIn } from '../actors/journal/checks.ts'
import { type Happened, outsideWorld, unsafeCounts } from '../actors/journal/outside.ts'
import { tasksOf } from '../http/agent-tasks.ts'
import { type Answer, fakeModel } from '../support/fake-model.ts'
import { pause, until } from '../support/http.ts'
import { spawnServer } from '../support/server.ts'
import { admin, givenSystem, quiet, rowsOf, storeOf, type TestSystem } from '../support/system.ts'
import { testWorld } from '../support/world.ts'
import { bytesOf, digestOf, type Entry } from './model-tasks.ts'

/** What the model answers depends on what was said last, never on how often it was asked. */
const answers: Answer[] = [
  { when: 'user: first', text: 'They spoke of four things.' }, // asked for a summary
  { when: 'Summary of what came before', text: 'They spoke, and paid.' },
  {
    when: 'please pay',
    reasoning: 'I must pay first.',
    text: 'I pay now.',
    tool_calls: [{ name: 'pay', arguments: { sum: 42, to: 'somebody 🦊' } }],
  },
  {
    when: 'pay done',
    text: 'Paid.',
    usage: { prompt_tokens: 600, completion_tokens: 10 },
    tool_calls: [
      { name: 'note', arguments: { text: 'paid' } },
      { name: 'agent_model', arguments: { input: 'look around' } },
    ],
  },
  { when: 'look around', reasoning: 'Hm.', text: 'Nothing there.' },
  ...['note done', 'Nothing there.'].map(when => ({ when, text: 'All is done.', logprobs: true })),
]

type Snapshot = { at: string; rows: Row[]; happened: Happened[] }
/** `path`: the end of the base URL, which chooses the protocol. */
type Fake = Awaited<ReturnType<typeof fakeModel>> & { path?: string }

const limits = { steps: 0, tokens: 0, seconds: 0 }
const later = Date.parse('2026-01-01T01:00:00.000Z')
let marks = 0

const given = async ({ url, path: at = '' }: Fake, store: Store, happened: Happened[], start?: number) => {
  const world = start === undefined ? testWorld() : testWorld(2, start, `k${++marks}`)
  const outside = outsideWorld(happened)
  const settings = { baseUrl: `${url}/v1${at}`, apiKey: undefined, model: 'fake-1', silenceMs: 30_000 }
  const endpoint = createConfiguredEndpoint(settings, world.timers)
  const agents = [model(endpoint, limits, world)]
  const system = await givenSystem({ world, store, agents, tools: outside.tools(world) })
  return { system, outside }
}

/** Lets everything run until nothing more comes by itself; the model takes real time. */
const rested = async (system: TestSystem): Promise<void> => {
  for (let still = 0, head = -1; still < 3; ) {
    await system.world.advance(100)
    await quiet(system)
    still = system.runtime.busy() === 0 && system.log.head() === head ? still + 1 : 0
    head = system.log.head()
    await pause(still === 0 ? 1 : 0)
  }
}

/** Plays a task, and keeps what is stored and what has happened before and after each commit. */
const played = async (fake: Fake, request: Partial<CreateTaskBody>) => {
  const inner = memoryStore()
  const happened: Happened[] = []
  const snapshots: Snapshot[] = []
  const keep = (at: string, store: Store) => {
    const rows = rowsOf(store)
    const last = rows.at(-1)
    const type = last === undefined ? 'nothing' : (JSON.parse(last.header) as { type: string }).type
    snapshots.push({
      at: `${snapshots.length}: ${at} ${type}`,
      rows,
      happened: happened.map(one => ({ ...one })),
    })
  }
  const store: Store = {
    ...inner,
    async write(batch) {
      keep('before the commit that follows', inner)
      await inner.write(batch)
      keep('after', inner)
    },
  }
  const { system } = await given(fake, store, happened)
  await system.create(request)
  await rested(system)
  const told = await shown(system)
  await system.close()
  return { snapshots, told }
}

type Told = { status: string; said: unknown[]; results: unknown[] }
const textOf = (item: OutputItem): unknown => {
  if (item.type === 'tool_call') return [item.name, item.arguments]
  if (item.type === 'reasoning') return (item.content ?? []).map(({ text }) => text).join('')
  if (typeof item.message_content === 'string') return item.message_content
  return item.message_content
    .map(part => (typeof part !== 'string' && 'text' in part ? part.text : ''))
    .join('')
}
/** The final output of each task, without what was cut short; the results of calls in any order. */
const shown = async (system: TestSystem): Promise<Told[]> =>
  (await tasksIn(system)).map(taskId => {
    const { status, output } = system.get(taskId) as Task
    const whole = output.filter(item => item.status === 'completed')
    const isResult = ({ type }: OutputItem) => type === 'tool_result'
    return {
      status,
      said: whole.filter(item => !isResult(item)).map(item => [item.type, textOf(item)]),
      results: whole.filter(isResult).map(textOf).sort(),
    }
  })

/** Somebody says of each call whose outcome nobody knows: once more. The answer: how many there were. */
const resumeUnknown = async (t: Test, at: string, system: TestSystem): Promise<number> => {
  let asked = 0
  for (const taskId of await tasksIn(system)) {
    const { status, metadata } = system.get(taskId) as Task
    if (status !== 'paused') continue
    t.match(metadata, { reason: 'outcome_unknown', effect: { name: 'pay' } }, at)
    await system.commands.resume(admin, taskId, 'req_resume')
    asked++
  }
  await rested(system)
  return asked
}

const rolloutsIn = async (system: TestSystem): Promise<Rollout[]> => {
  const [taskId = ''] = await tasksIn(system)
  const rollouts: Rollout[] = []
  for await (const text of system.recall.rolloutLines(taskId)) rollouts.push(JSON.parse(String(text)))
  return rollouts
}
const sentBy = (rollout: Rollout) => bytesOf(rollout as unknown as Entry)

type Story = { request?: Partial<CreateTaskBody>; steps: number; path?: string }

/** Tells the story, then goes on from every prefix of it. */
const killedEverywhere = async (t: Test, { request = {}, steps, path: at = '' }: Story) => {
  const slow = await fakeModel(
    t,
    answers.map(answer => ({ ...answer, token_ms: 4 })),
  )
  const quick = { ...(await fakeModel(t, answers)), path: at }
  const { snapshots, told } = await played(
    { ...slow, path: at },
    {
      user_message_content: 'please pay',
      agent_config: { agent_id: 'model' },
      return_rollout: true,
      include_subagent_rollout: true,
      include_compress_model_rollout: true,
      ...request,
    },
  )
  t.same(
    told.map(({ status }) => status),
    ['completed', 'completed'],
  )
  const first = new Set(slow.asked.map(({ body }) => body))
  t.equal(first.size, steps, 'it was asked once a step')
  let persons = 0
  for (const snapshot of snapshots) {
    const { at, rows } = snapshot
    if (rows.length === 0) continue // its client knows of nothing
    const before = quick.asked.length
    const { system, outside } = await given(
      quick,
      await storeOf(rows),
      snapshot.happened.map(one => ({ ...one })),
      later,
    )
    await rested(system)
    t.same(await problemsIn(system), [], at)
    for (const [effectId, count] of unsafeCounts(outside)) t.equal(count, 1, `${at}: ${effectId} once`)
    persons += await resumeUnknown(t, at, system)
    t.same(await shown(system), told, `${at}: it ends the same`)
    t.same(await problemsIn(system), [], `${at}: after a person`)
    const rollouts = await rolloutsIn(system)
    t.equal(rollouts.length, steps, at)
    const again = quick.asked.slice(before).map(({ body }) => body)
    const sent = rollouts.map(sentBy)
    t.same(
      again.filter(body => !sent.includes(body)),
      [],
      `${at}: whatever was asked now is a step`,
    )
    t.same(
      sent.filter(body => !first.has(body) && !again.includes(body)),
      [],
      `${at}: whatever a step says was sent was received`,
    )
    t.same(
      rollouts.map(({ request_digest }) => request_digest),
      sent.map(digestOf),
      at,
    )
    await system.close()
  }
  return { snapshots, persons }
}

t.test('killed around every commit, a task with a model ends the same', async t => {
  const { snapshots, persons } = await killedEverywhere(t, { steps: 4 })
  t.ok(snapshots.length > 20, `${snapshots.length} prefixes`)
  t.ok(persons > 0, 'somebody was asked')
})

for (const [name, path, inference_args] of [
  ['Messages', '/messages', { thinking: { type: 'enabled', budget_tokens: 1024 } }],
  ['Responses', '/responses', {}],
] as const) {
  t.test(`killed around every commit, a task with a model of ${name} ends the same`, async t => {
    const { snapshots } = await killedEverywhere(t, { steps: 4, path, request: { inference_args } })
    t.ok(snapshots.length > 20, `${snapshots.length} prefixes`)
  })
}

const long = (name: string) => `${name} ${'word '.repeat(200)}`
const history = ['first', 'second', 'third', 'fourth'].map((name, n) => ({
  type: 'message' as const,
  id: `msg_${name}`,
  role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
  message_content: long(name),
}))

t.test('killed around a summary, and a second one, it ends the same', async t => {
  const { snapshots } = await killedEverywhere(t, {
    steps: 6,
    request: {
      history_messages: history,
      agent_config: { agent_id: 'model', max_model_length: 2000, compress_threshold_token_ratio: 0.25 },
    },
  })
  const types = snapshots.map(({ at }) => at)
  t.ok(
    types.some(at => at.endsWith('after CompressionStarted')),
    types.join('\n'),
  )
})

const once = { path: 'paid.txt', content: 'once\n', append: true } // must not be repeated
const real: Answer[] = [
  { when: 'please pay', text: 'I pay now.', tool_calls: [{ name: 'write_file', arguments: once }] },
  {
    when: 'Appended',
    tool_calls: [
      { name: 'calculator', arguments: { expression: '6*7' } },
      { name: 'agent_model', arguments: { input: 'look around' } },
    ],
  },
  { when: 'look around', text: 'Nothing there.' },
  ...['42', 'Nothing there.'].map(when => ({ when, text: 'All is done.' })),
]

t.test('a process killed in each of its calls goes on, and nothing is paid twice', async t => {
  const slow = { delay_ms: 60, token_ms: 20 }
  const { env, asked } = await fakeModel(
    t,
    real.map(answer => ({ ...answer, ...slow })),
  )
  const dataDir = t.testdir()
  let server = await spawnServer(t, dataDir, env)
  const linesOf = (name: string): number => {
    const file = path.join(dataDir, 'workspace/default', name, 'paid.txt')
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0
  }
  const bodies = () => asked.map(({ body }) => body)
  const round = async (name: string, moment: () => boolean, ms: number) => {
    const request = {
      user_message_content: 'please pay',
      task_id: name,
      workspace_dir: name,
      background: true,
    }
    const more = { return_rollout: true, include_subagent_rollout: true }
    await tasksOf(server.api).post({ ...request, ...more })
    await until(moment)
    await pause(ms)
    await server.end('SIGKILL')
    server = await spawnServer(t, dataDir, env)
    const { becomes, act } = tasksOf(server.api)
    let task = await becomes(name, 'completed', 'paused')
    t.equal(linesOf(name), 1, `${name}: paid once`)
    if (task.status === 'paused') {
      t.match(task.metadata, { reason: 'outcome_unknown', effect: { name: 'write_file' } }, name)
      await act(name, 'resume')
      task = await becomes(name, 'completed')
    }
    const said = task.output.filter(({ type, status }) => type === 'message' && status === 'completed')
    t.same(
      said.map(item => textOf(item as unknown as OutputItem)),
      ['I pay now.', 'All is done.'],
      name,
    )
    const sent = (task.rollouts ?? []).map(entry => bytesOf(entry as unknown as Entry))
    t.equal(sent.length, 4, name)
    t.same(
      sent.filter(body => !bodies().includes(body)),
      [],
      `${name}: what was sent was received`,
    )
    t.match((await act(name, 'replay')).body, { matches: true, mismatches: [] }, name)
  }
  for (const [call, ms] of [80, 0, 80, 80].entries()) {
    const before = asked.length // it is killed before the answer to a call, or in the middle of it
    await round(`call-${call + 1}`, () => asked.length > before + call, ms)
  }
  await round('tool', () => linesOf('tool') > 0, 0)
})
