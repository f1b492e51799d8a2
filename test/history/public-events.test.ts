// Every fact of a task, and the one public event that it gives, or none.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { PublicEvent } from '../../src/contract/events/public-events.ts'
import {
  type TaskEventData,
  type TaskEventType,
  taskEventSchemas,
} from '../../src/contract/events/task-events.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import type { ScriptStep } from '../../src/contract/wire.ts'
import { publicEventOf } from '../../src/history/public-events.ts'
import { decode } from '../../src/log/decode.ts'
import { byStream, simulate } from '../actors/simulation.ts'
import { admin, givenSystem, quiet } from '../support/system.ts'
import { clientTool } from '../support/tools.ts'
import { mustFitSchema, mustTellRightly } from './public-lawful.ts'
import { readHistory } from './stored.ts'
import { eventsOf } from './told.ts'

const time = '2026-01-01T00:00:00.000Z'
const about = { task_id: 't1', session_id: 's1' }
/** A fact as the log gives it back: its first frame is number 7, and it gives three. */
const stored = (type: string, data: unknown, stream = 'task-t1'): Recorded => ({
  position: 3,
  header: {
    stream,
    revision: 0,
    type,
    schema_version: 1,
    time,
    principal: 'admin',
    owner: 'anna',
    session_id: 's1',
    correlation_id: 't1',
    causation_id: 'req_1',
    build: 'test',
    seq: 7,
    frames: 3,
  },
  data,
})

const created = (content: TaskEventData<'TaskCreated'>['request']['user_message_content']) => ({
  task_id: 't1',
  session_id: 's1',
  user_id: 'anna',
  agent: 'echo',
  agent_id: 'a1',
  workdir: '/w',
  request_id: 'r1',
  request: { user_message_content: content, stream: false },
  input_ids: ['msg_1'],
  digest: 'd',
})
const result = {
  type: 'tool_result' as const,
  id: 'tr_1',
  call_id: 'c1',
  status: 'completed' as const,
  message_content: 'yes',
  block_list: [],
}
const effect = {
  agent_step: 1,
  effect_id: 'e1',
  item_id: 'tr_1',
  call_id: 'c1',
  status: 'completed' as const,
  content: '4',
}
const inChat = { group_chat_id: 't1', agent_id: 'a2', name: 'ann', round: 1 }
const moved = (old_status: string, new_status: string, reason?: string) => ({
  type: 'TaskStatusChanged',
  timestamp: time,
  ...about,
  old_status,
  new_status,
  ...(reason === undefined ? {} : { reason }),
})
const updated = (...changed: string[]) => ({
  type: 'TaskUpdated',
  timestamp: time,
  ...about,
  sequence_number: 9,
  changed,
})

type Case<T extends TaskEventType> = [data: TaskEventData<T>, expected: object | undefined]
/** The fact, and the whole event as a subscriber gets it; every fact is here, or this does not compile. */
const cases: { [T in TaskEventType]: Case<T>[] } = {
  TaskCreated: [
    [
      created('hello'),
      {
        type: 'TaskCreated',
        timestamp: time,
        task_id: 't1',
        title: 'hello',
        session_id: 's1',
        user_id: 'anna',
        status: 'created',
      },
    ],
  ],
  GroupChatAgentThinking: [
    [
      { ...inChat, call_id: 'c1', task_id: 't2', may_pass: true },
      { type: 'GroupChatAgentThinking', timestamp: time, ...inChat },
    ],
  ],
  GroupChatAgentResponse: [
    [
      { ...inChat, task_id: 't2', content: 'hi', usage: { total_tokens: 3 }, call_id: 'c1', said: true },
      {
        type: 'GroupChatAgentResponse',
        timestamp: time,
        ...inChat,
        task_id: 't2',
        content: 'hi',
        usage: { total_tokens: 3 },
      },
    ],
  ],
  GroupChatMessage: [
    [
      { ...inChat, message_id: 'm1', role: 'assistant', content: 'hi', agent_step: 1 },
      {
        type: 'GroupChatMessage',
        timestamp: time,
        ...inChat,
        message_id: 'm1',
        role: 'assistant',
        content: 'hi',
      },
    ],
  ],
  TaskQueued: [[{ from: 'created' }, moved('created', 'queued')]],
  AgentSpawned: [
    [
      { agent_id: 'a1', workdir: '/w/anna/s1' },
      {
        type: 'AgentSpawned',
        timestamp: time,
        agent_id: 'a1',
        session_id: 's1',
        workdir: '/w/anna/s1',
        task_id: 't1',
      },
    ],
    [
      { agent_id: 'a2', workdir: '/w', parent_agent_id: 'a1' },
      {
        type: 'AgentSpawned',
        timestamp: time,
        agent_id: 'a2',
        session_id: 's1',
        workdir: '/w',
        task_id: 't1',
        parent_agent_id: 'a1',
      },
    ],
  ],
  TaskStarted: [
    [{ from: 'created', context: [] }, moved('created', 'working')],
    [{ from: 'queued', context: [], ttl_seconds: 5 }, moved('queued', 'working')],
  ],
  AgentStepStarted: [[{ agent_step: 1, effect_id: 'e1' }, undefined]],
  AgentWaits: [[{ agent_step: 1 }, undefined]],
  WorkerAwaited: [[{}, undefined]],
  ItemDelta: [
    [
      { agent_step: 1, item_id: 'm1', content_index: 0, item: 'message', part: 'output_text', delta: 'a' },
      undefined,
    ],
  ],
  ItemCompleted: [
    [{ agent_step: 1, item_id: 'm1', parts: 1 }, updated('output')],
    [{ agent_step: 1, item_id: 'tc1', parts: 0, item: 'tool_call' }, updated('output')],
  ],
  ItemSaid: [
    [{ agent_step: 1, item_id: 'm1', item: 'message', part: 'output_text', texts: ['a'] }, updated('output')],
  ],
  ToolsOffered: [[{ agent_step: 1, stream: 'tools-1', changed: true }, undefined]],
  CompressionStarted: [[{ agent_step: 1, compression_id: 'cmp_1' }, undefined]],
  AgentStepCompleted: [
    [{ agent_step: 1, effect_id: 'e1' }, undefined],
    [{ agent_step: 1, effect_id: 'e1', usage: { input_tokens: 1 }, final: true, rollout: true }, undefined],
  ],
  AgentStepAbandoned: [[{ agent_step: 1, effect_id: 'e1', items: [{ item_id: 'm1', parts: 1 }] }, undefined]],
  AgentCompleted: [
    [
      { agent_id: 'a1', success: true },
      { type: 'AgentCompleted', timestamp: time, agent_id: 'a1', ...about, success: true },
    ],
    [
      { agent_id: 'a1', success: false },
      { type: 'AgentCompleted', timestamp: time, agent_id: 'a1', ...about, success: false },
    ],
  ],
  AgentError: [
    [
      { agent_id: 'a1', error: 'no', code: -32000 },
      { type: 'AgentError', timestamp: time, agent_id: 'a1', ...about, error: 'no', code: -32000 },
    ],
  ],
  EffectIntended: [[{ effect_id: 'e1', call_id: 'c1', name: 'calculator' }, undefined]],
  EffectPromised: [
    [{ effect_id: 'e1', call_id: 'c1', promise: 'x' }, undefined],
    [
      {
        effect_id: 'e1',
        call_id: 'c1',
        asks: { questions: [{ call_id: 'q1', name: 'elicitation', arguments: '{}' }], state: 's' },
      },
      undefined,
    ],
    [
      {
        effect_id: 'e1',
        call_id: 'c1',
        asks: { answers: [{ call_id: 'q1', by: 'admin', status: 'completed', content: '{}' }] },
      },
      updated('input_required', 'metadata'),
    ],
  ],
  EffectSaid: [
    [{ agent_step: 1, effect_id: 'e1', item_id: 'tr_1', call_id: 'c1', first: true, delta: 'a' }, undefined],
  ],
  ApprovalRequired: [[{ agent_step: 1, call_id: 'c1', effect_id: 'e1' }, undefined]],
  ApprovalDecided: [
    [
      { agent_step: 1, by: 'admin', call_id: 'c1', item_id: 'tc1', decision: 'refuse', reason: 'no' },
      updated('input_required', 'metadata'),
    ],
    [
      { agent_step: 1, by: 'admin', call_id: 'c1', item_id: 'tc1', decision: 'approve', arguments: '{}' },
      updated('output', 'input_required', 'metadata'),
    ],
  ],
  EffectCut: [[{ agent_step: 1, effect_id: 'e1', item_id: 'tr_1', call_id: 'c1' }, undefined]],
  EffectCompleted: [
    [effect, updated('output')],
    [
      { ...effect, usage: { input_tokens: 1 }, child: { stream: 'task-t2', revision: 4 } },
      updated('output', 'metadata'),
    ],
  ],
  InputRequired: [
    [
      {
        from: 'working',
        calls: ['c1', 'c2'],
        asks: [
          { call_id: 'c1', name: 'ask', arguments: '{}' },
          { call_id: 'c2', name: 'ask' },
        ],
        expires_at: 1,
      },
      {
        ...moved('working', 'input-required'),
        pending_inputs: [
          { call_id: 'c1', name: 'ask', arguments: '{}' },
          { call_id: 'c2', name: 'ask' },
        ],
      },
    ],
  ],
  InputAccepted: [
    [{ by: 'admin', agent_step: 1, item: result }, updated('output', 'input_required', 'metadata')],
    // What is written to the agent is in no field of the task object.
    [{ by: 'admin', item: { type: 'message', role: 'user', message_content: 'quick' } }, undefined],
  ],
  InputAnswered: [[{ from: 'input-required' }, moved('input-required', 'working')]],
  InputConsumed: [[{ agent_step: 2, items: ['tr_1'] }, undefined]],
  PauseRequested: [[{}, undefined]],
  TaskPaused: [[{ from: 'working', reason: 'tea' }, moved('working', 'paused', 'tea')]],
  TaskResumed: [[{ from: 'paused' }, moved('paused', 'working')]],
  CancelRequested: [[{ reason: 'enough' }, undefined]],
  EffectStopped: [[{ effect_id: 'e1', stopped: true }, undefined]],
  TaskCompleted: [
    [{ from: 'working' }, moved('working', 'completed')],
    [{ from: 'working', continued_by: 't2' }, moved('working', 'completed')],
  ],
  TaskFailed: [[{ from: 'working', error: { code: -32000, message: 'no' } }, moved('working', 'failed')]],
  TaskCanceled: [
    ...(['created', 'queued', 'working', 'input-required', 'paused'] as const).map(
      (from): Case<'TaskCanceled'> => [{ from }, moved(from, 'canceled')],
    ),
    [{ from: 'paused', reason: 'enough' }, moved('paused', 'canceled', 'enough')],
  ],
  TaskExpired: (['created', 'queued', 'working', 'input-required', 'paused'] as const).map(
    (from): Case<'TaskExpired'> => [{ from }, moved(from, 'expired')],
  ),
  TaskDeleted: [[{ by: 'admin' }, { type: 'TaskDeleted', timestamp: time, ...about }]],
  RewardGiven: [[{ by: 'admin', value: 1 }, undefined]],
}

for (const [type, each] of Object.entries(cases)) {
  const [, named] = each[0] as [unknown, { type: string } | undefined]
  t.test(`${type} gives ${named?.type ?? 'nothing'}`, async t => {
    for (const [data, expected] of each) {
      const event = publicEventOf(stored(type, data))
      t.same(event, expected)
      t.same(Object.keys(event ?? {}).slice(0, 2), expected === undefined ? [] : ['type', 'timestamp'])
      if (event !== undefined) mustFitSchema(event)
    }
  })
}

t.test('every fact that there is has its case', async t => {
  t.same(Object.keys(cases).sort(), Object.keys(taskEventSchemas).sort())
})

t.test('what is no fact of a task gives nothing', async t => {
  for (const stream of ['principal-t1', 'tools-t1', 'env-t1', 'cron-t1', 'task', 't1', 'a-task-t1']) {
    t.equal(publicEventOf(stored('TaskCreated', created('x'), stream)), undefined, stream)
  }
  for (const type of ['TokenCreated', 'SomethingNew']) {
    t.equal(publicEventOf(stored(type, {})), undefined, type)
  }
  t.equal(publicEventOf(stored('TaskDeleted', { by: 'x' }, 'task-a-task-b'))?.task_id, 'a-task-b')
})

t.test('a title is the first eighty characters of what the user wrote', async t => {
  const titleOf = (content: TaskEventData<'TaskCreated'>['request']['user_message_content']) =>
    (publicEventOf(stored('TaskCreated', created(content))) as { title: string }).title
  t.equal(titleOf(''), '')
  t.equal(titleOf([]), '')
  t.equal(titleOf('a'.repeat(80)), 'a'.repeat(80))
  t.equal(titleOf('a'.repeat(81)), 'a'.repeat(80))
  t.equal(titleOf('🙂'.repeat(100)), '🙂'.repeat(80), 'whole characters, not halves')
  t.equal(titleOf(`a${'🙂'.repeat(100)}`), `a${'🙂'.repeat(79)}`)
  t.equal(titleOf(`${'a'.repeat(79)}🙂b`), `${'a'.repeat(79)}🙂`)
  t.equal(titleOf('x'.repeat(5_000_000)).length, 80)
  t.equal(titleOf([{ type: 'input_text', text: 'hello' }, 'and more']), 'hello and more')
  const picture = { type: 'input_image' as const, image_url: { url: 'data:image/png;base64,AAAA' } }
  t.equal(titleOf([picture, { type: 'text', text: 'what is this?' }]), 'what is this?')
  t.equal(titleOf([picture]), '')
  const event = publicEventOf(stored('TaskCreated', created('a\ud800b\u0000c\nd\u2028e')))
  t.same(JSON.parse(JSON.stringify(event)), event, 'odd characters come through')
})

const folder = path.join(import.meta.dirname, '../histories')
for (const file of readdirSync(folder).filter(name => name.endsWith('.ndjson'))) {
  t.test(`${file} is told by the laws`, async t => {
    const { rows, expected } = readHistory(readFileSync(path.join(folder, file), 'utf8'))
    const told = mustTellRightly(rows.map(row => decode(row)))
    t.equal(told[0]?.task_id, expected.task.id)
    t.equal(told.at(-1)?.type === 'TaskDeleted', expected.deleted)
    const status = told.findLast(event => event.type === 'TaskStatusChanged')
    t.equal(status?.type === 'TaskStatusChanged' && status.new_status, expected.task.status)
  })
}

t.test('whoever is left, canceled or expired in any state, was told of by the laws', async t => {
  const ttls = { created: 0, queued: 9, working: 9, paused: 9, 'input-required': 9 }
  const plays: [from: string, steps: ScriptStep[]][] = [
    ['working', [{ sleep_ms: 60_000 }]],
    ['paused', [{ message: 'a' }, { pause: 'tea' }]],
    ['input-required', [{ tool: 'ask' }]],
  ]
  for (const to of ['canceled', 'expired']) {
    const system = await givenSystem({ ttls })
    const given = { client_tools: [clientTool('ask')] }
    for (const [from, steps] of plays) {
      const taskId = await system.play(steps, given)
      await quiet(system)
      if (to === 'canceled') await system.commands.cancel(admin, taskId, 'req')
      await system.world.advance(to === 'canceled' ? 2000 : 10_000)
      const told = mustTellRightly(await eventsOf(system, taskId))
      t.match(told.slice(-2), [
        { type: 'AgentCompleted', success: false },
        { type: 'TaskStatusChanged', old_status: from, new_status: to },
      ])
    }
    await system.play([{ sleep_ms: 60_000 }], { session_id: 'busy' })
    const waiting = await system.create({ session_id: 'busy' })
    await quiet(system)
    if (to === 'canceled') await system.commands.cancel(admin, waiting, 'req')
    else await system.world.advance(10_000)
    const told = mustTellRightly(await eventsOf(system, waiting)).map(({ type }) => type)
    t.same(told, ['TaskCreated', 'TaskStatusChanged', 'TaskStatusChanged'], 'no agent came, none goes')
    await system.close()
  }
})

t.test("a subagent's task is told of like any other, and names the agent above it", async t => {
  const system = await givenSystem()
  const input = JSON.stringify([{ message: 'from below' }])
  const parentId = await system.play([{ subagent: 'script', input }, { message: 'so' }], { session_id: 's1' })
  await quiet(system)
  const streams = byStream(await system.stored())
  const [parent, child] = [...streams.values()].map(mustTellRightly)
  const spawned = (told: PublicEvent[] | undefined) => told?.find(event => event.type === 'AgentSpawned')
  t.equal(parent?.[0]?.task_id, parentId)
  t.match(spawned(child), { session_id: 's1', parent_agent_id: spawned(parent)?.agent_id ?? 'nobody' })
  t.same(spawned(parent)?.parent_agent_id, undefined)
  await system.close()
})

// Ten thousand: npm run soak -- random-commands
t.test('and so is whatever random commands bring about', async t => {
  const seen = new Set<string>()
  const first = Number(process.env.SEED ?? 517)
  for (let seed = first; seed < first + 24; seed++) {
    try {
      const events = await simulate(seed)
      for (const own of byStream(events).values()) {
        const told = own.some(({ header }) => header.stream.startsWith('task-')) ? mustTellRightly(own) : []
        for (const event of told) {
          seen.add('new_status' in event ? `${event.old_status}>${event.new_status}` : event.type)
        }
      }
    } catch (error) {
      t.fail(`SEED=${seed}: ${(error as Error).stack}`)
      break
    }
  }
  // What the commands bring about holds everything that there is to tell.
  for (const wanted of [
    ...['TaskCreated', 'TaskUpdated', 'TaskDeleted', 'AgentSpawned', 'AgentCompleted', 'AgentError'],
    ...['created>working', 'created>queued', 'queued>working', 'working>input-required'],
    ...['input-required>working', 'working>paused', 'paused>working', 'working>completed'],
    ...['working>failed', 'working>canceled', 'queued>canceled', 'queued>expired', 'input-required>expired'],
  ]) {
    t.ok(seen.has(wanted), wanted)
  }
})
