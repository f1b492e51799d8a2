// The public stream of a task (decisions §1): which frames each fact gives, their fields, and their numbers.
import t, { type Test } from 'tap'
import type { Agent, StepPart } from '../../src/contract/agent.ts'
import type { TaskEvent, TaskEventType } from '../../src/contract/events/task-events.ts'
import { DamagedEvent } from '../../src/contract/stored.ts'
import { type Frame, frameCount, renderFrames } from '../../src/history/frames.ts'
import { taskOf } from '../../src/history/task-object.ts'
import { emptyTask, evolve } from '../../src/history/task-view.ts'
import {
  abandoned,
  called,
  cancelRequested,
  created,
  fact,
  historyOf,
  itemCompleted,
  more,
  opened,
  pauseRequested,
  recorded,
  resumed,
  said,
  stepCompleted,
  stepStarted,
  working,
} from '../actors/given.ts'
import { admin, givenSystem, quiet, type TestSystem } from '../support/system.ts'
import { eventsOf, framesFrom, framesOf } from './told.ts'

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** What decisions §1 says of the number of frames of each fact. */
const documented: Partial<Record<TaskEventType, number>> = {
  TaskCreated: 1,
  TaskQueued: 1,
  AgentSpawned: 0,
  TaskStarted: 1,
  AgentStepStarted: 0,
  AgentStepCompleted: 0,
  AgentCompleted: 0,
  AgentError: 0,
  TaskCompleted: 1,
  TaskFailed: 1,
  TaskExpired: 1,
  TaskCanceled: 1,
  TaskDeleted: 0,
  InputRequired: 1,
  InputAnswered: 1,
  CancelRequested: 0,
  EffectStopped: 0,
  PauseRequested: 0,
  TaskPaused: 1,
  TaskResumed: 1,
}

/** A history with every fact in it that this version writes. */
const everything: TaskEvent[][] = [
  [
    ...historyOf.queued,
    ...working.slice(1, 2),
    fact('TaskStarted', { from: 'queued', context: [] }),
    stepStarted(1, 't1/1'),
    opened('m1', 'one '),
    more('m1', 'two'),
    itemCompleted('m1'),
    said('m2', 'whole'),
    stepCompleted(1, 't1/1'),
    pauseRequested,
    fact('TaskPaused', { from: 'working', reason: 'tea' }),
    resumed,
    stepStarted(2, 't1/2'),
    opened('m3', 'cut', 2),
    fact('AgentStepAbandoned', { agent_step: 2, effect_id: 't1/2', items: [{ item_id: 'm3', parts: 1 }] }),
    called('tc_1', 'c1', 'ask', 2),
    stepCompleted(2, 't1/2'),
    fact('InputRequired', { from: 'working', calls: ['c1'] }),
    fact('InputAnswered', { from: 'input-required' }),
    ...historyOf.completed.slice(3),
    fact('TaskDeleted', { by: 'x' }),
  ],
  [...historyOf.failed],
  [
    ...working,
    cancelRequested,
    fact('EffectStopped', { effect_id: 'e', stopped: true }),
    fact('TaskCanceled', { from: 'working' }),
  ],
  [...historyOf.expired],
  [...working, stepStarted(1, 't1/1'), abandoned(1, 't1/1')],
]

t.test('each fact gives as many frames as it was counted for, and as the documents say', async t => {
  const seen = new Set<string>()
  for (const facts of everything) {
    const view = emptyTask()
    for (const event of recorded(facts)) {
      const { type } = event
      const frames = renderFrames(view, event)
      t.equal(frames.length, frameCount(event), type)
      const expected = documented[type]
      if (expected !== undefined) t.equal(frames.length, expected, `${type}, as documented`)
      seen.add(type)
    }
  }
  for (const type of Object.keys(documented)) t.ok(seen.has(type), `${type} was looked at`)
})

t.test('a delta gives three frames when it opens an item, two when it opens a part, else one', async t => {
  const view = emptyTask()
  const facts = [...working, stepStarted(1, 't1/1'), opened('m1', 'a'), more('m1', 'b')]
  const frames = recorded(facts).map(event => renderFrames(view, event).map(({ type }) => type))
  t.same(frames.slice(-2), [
    ['task.output_item.added', 'task.content_part.added', 'task.text.delta'],
    ['task.text.delta'],
  ])
  const part = fact('ItemDelta', {
    agent_step: 1,
    item_id: 'r1',
    content_index: 0,
    item: 'reasoning',
    part: 'summary_text',
    first: true,
    delta: 'a',
  })
  const other = fact('ItemDelta', {
    agent_step: 1,
    item_id: 'r1',
    content_index: 0,
    part: 'reasoning_text',
    first: true,
    delta: 'a',
  })
  const again = emptyTask()
  const told = recorded([...working, stepStarted(1, 't1/1'), part, other]).map(event =>
    renderFrames(again, event).map(({ type }) => type),
  )
  t.same(told.slice(-2), [
    ['task.output_item.added', 'task.reasoning_summary_part.added', 'task.reasoning_summary_text.delta'],
    ['task.content_part.added', 'task.reasoning_text.delta'],
  ])
})

/** Every frame of a task has its fields, and together they tell the output. */
const mustBeWellFormed = (t: Test, taskId: string, frames: Frame[]) => {
  t.same(
    frames.map(frame => frame.sequence_number),
    frames.map((_, n) => n),
    'numbers from 0 without holes',
  )
  const texts = new Map<string, string>()
  const open = new Map<string, string>()
  for (const frame of frames) {
    const { type } = frame
    const fields = Object.keys(frame).filter(key => !['type', 'sequence_number', 'task_id'].includes(key))
    t.equal(frame.task_id, taskId)
    t.same(Object.keys(frame).slice(0, 3), ['type', 'sequence_number', 'task_id'], 'the head of each frame')
    const at = `${frame.item_id} ${type.replace(/\.(delta|done|added)$/, '')} ${frame.content_index}`
    if (/^task\.(queued|working)$/.test(type)) t.same(fields, ['timestamp'], type)
    else if (type === 'task.failed') t.same(fields.sort(), ['error', 'task', 'timestamp'])
    else if (type === 'task.input_required') t.same(fields.sort(), ['input_required', 'task', 'timestamp'])
    else if (/^task\.(created|paused|completed|canceled|expired)$/.test(type)) {
      t.same(fields.sort(), ['task', 'timestamp'], type)
      t.equal(
        (frame.task as { status: string }).status,
        type.slice('task.'.length),
        'the task as of that frame',
      )
    } else if (type === 'task.output_item.added' || type === 'task.output_item.done') {
      t.same(fields.sort(), ['agent_step', 'item'], type)
      const item = frame.item as {
        id: string
        status: string
        type: string
        message_content?: []
        summary?: []
        arguments?: string
      }
      if (type.endsWith('added')) {
        t.equal(item.status, 'in_progress')
        const shell = { message: item.message_content, reasoning: item.summary, tool_call: item.arguments }
        const held = shell[item.type as 'message'] ?? item.message_content
        t.equal(held?.length, 0, 'an empty shell')
        t.notOk(open.has(item.id), 'an item is added once')
      } else {
        t.match(item.status, /^(completed|incomplete)$/)
        t.equal(open.get(item.id), item.type, 'what is done was added')
      }
      open.set(item.id, item.type)
    } else if (/_part\.(added|done)$/.test(type)) {
      t.same(fields.sort(), ['agent_step', 'content_index', 'item_id', 'part'], type)
      const { text } = frame.part as { text: string }
      if (type.endsWith('added')) t.equal(text, '', 'a part is added empty')
    } else if (/text\.delta$/.test(type)) {
      t.same(fields.sort(), ['agent_step', 'content_index', 'delta', 'item_id'], type)
      texts.set(at, (texts.get(at) ?? '') + frame.delta)
    } else if (/text\.done$/.test(type)) {
      t.same(fields.sort(), ['agent_step', 'content_index', 'item_id', 'text'], type)
      t.equal(texts.get(at) ?? '', frame.text, 'the deltas make up the text')
      texts.delete(at)
    } else if (type === 'task.tool_call_arguments.delta') {
      t.same(fields.sort(), ['agent_step', 'call_id', 'delta', 'item_id'], type)
      texts.set(at, (texts.get(at) ?? '') + frame.delta)
    } else if (type === 'task.tool_call_arguments.done') {
      t.same(fields.sort(), ['agent_step', 'arguments', 'call_id', 'item_id'], type)
      t.equal(texts.get(at) ?? '', frame.arguments, 'the deltas make up the arguments')
      texts.delete(at)
    } else if (type === 'task.tool_result.done') {
      t.same(fields.sort(), ['agent_step', 'block_list', 'call_id', 'item_id', 'message_content'], type)
    } else t.fail(`an unknown frame: ${type}`)
    if ('timestamp' in frame) t.match(frame.timestamp, isoTime)
    if ('agent_step' in frame) t.ok((frame.agent_step as number) >= 1, 'agent steps count from 1')
  }
  t.equal(texts.size, 0, 'every text that began is done')
}

const played = async (make: (system: TestSystem) => Promise<string>, agents: Agent[] = []) => {
  const system = await givenSystem({ agents })
  const taskId = await make(system)
  await system.world.advance(5000)
  return { system, taskId, frames: await framesOf(system, taskId) }
}

t.test('a plain answer is told in this order', async t => {
  const { frames, taskId } = await played(system => system.create({ user_message_content: 'hi' }))
  t.same(
    frames.map(({ type }) => type),
    [
      'task.created',
      'task.working',
      'task.output_item.added',
      'task.content_part.added',
      'task.text.delta',
      'task.text.done',
      'task.content_part.done',
      'task.output_item.done',
      'task.completed',
    ],
  )
  mustBeWellFormed(t, taskId, frames)
})

t.test('everything a script can say is told whole, and the same as the task object', async t => {
  const { system, frames, taskId } = await played(async system => {
    const id = await system.play([
      { reasoning: 'hm' },
      { message: 'one two three', delta_ms: 70 },
      { usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } },
      { pause: 'tea' },
      { message: 'after' },
      { usage: { input_tokens: 10, total_tokens: 10 } },
      { message: '' },
      { message: '', delta_ms: 5 },
    ])
    await system.world.advance(1000)
    await system.commands.resume(admin, id, 'req')
    return id
  })
  mustBeWellFormed(t, taskId, frames)
  const done = frames.filter(frame => frame.type === 'task.output_item.done').map(frame => frame.item)
  t.same(done, system.get(taskId).output)
  t.same(frames.at(-1)?.task, system.get(taskId))
  const pause = frames.find(frame => frame.type === 'task.paused')
  t.match(pause?.task, { status: 'paused', usage: { total_tokens: 3 }, metadata: { reason: 'tea' } })
  t.equal((pause?.task as { output: unknown[] } | undefined)?.output.length, 2, 'only what was there then')
  t.same(system.get(taskId).usage, { input_tokens: 11, output_tokens: 2, total_tokens: 13 }, 'usage adds up')
  t.match(frames[0]?.task, { status: 'created', output: [] })
})

t.test('failed, canceled and expired tasks are told to their end', async t => {
  const failed = await played(system =>
    system.play([{ message: 'a b', delta_ms: 60 }, { fail: { code: -32000, message: 'no' } }]),
  )
  mustBeWellFormed(t, failed.taskId, failed.frames)
  t.match(failed.frames.at(-1), {
    type: 'task.failed',
    error: { code: -32000, message: 'no' },
    task: { error: { code: -32000 } },
  })
  const system = await givenSystem({
    ttls: { created: 0, queued: 1, working: 0, paused: 0, 'input-required': 0 },
  })
  const first = await system.play([{ message: 'a b c d', delta_ms: 3000 }], { session_id: 's1' })
  const second = await system.create({ session_id: 's1' })
  await system.world.advance(4000)
  await system.commands.cancel(admin, first, 'req')
  mustBeWellFormed(t, first, await framesOf(system, first))
  mustBeWellFormed(t, second, await framesOf(system, second))
  t.same(
    (await framesOf(system, second)).map(({ type }) => type),
    ['task.created', 'task.queued', 'task.expired'],
  )
})

const speaker = (name: string, parts: StepPart[]): Agent => ({
  name,
  async *step() {
    yield* parts
    return { end: 'answer' }
  },
})
/** All that a part says, as text. */
const textSaid = (part: StepPart): string => {
  if (part.say === 'item') return part.texts.join('')
  if (part.say === 'call') return part.arguments
  return 'text' in part ? part.text : ''
}
const ways: Record<string, StepPart[]> = {
  'a whole call after some words': [
    { say: 'delta', item: 'message', part: 'output_text', text: 'let me ' },
    { say: 'delta', item: 'message', part: 'output_text', text: 'see' },
    { say: 'call', name: 'nobody', arguments: '{"a":1}' },
  ],
  'two calls bit by bit, side by side, between words': [
    { say: 'delta', item: 'reasoning', part: 'reasoning_text', text: 'hm' },
    { say: 'call-delta', call: '0', name: 'nobody', text: '{"a"' },
    { say: 'call-delta', call: '1', name: 'no-one', text: '{' },
    { say: 'call-delta', call: '0', name: 'nobody', text: ':1}' },
    { say: 'delta', item: 'message', part: 'output_text', text: 'so' },
    { say: 'call-delta', call: '1', name: 'no-one', text: '}' },
  ],
  'reasoning in two kinds of text, then a message': [
    { say: 'delta', item: 'reasoning', part: 'summary_text', text: 'short' },
    { say: 'delta', item: 'reasoning', part: 'reasoning_text', text: 'long' },
    { say: 'delta', item: 'reasoning', part: 'summary_text', text: 'er' },
    { say: 'delta', item: 'message', part: 'output_text', text: 'so' },
  ],
  'a whole item between streamed ones': [
    { say: 'delta', item: 'message', part: 'output_text', text: 'a' },
    { say: 'item', item: 'reasoning', part: 'summary_text', texts: ['b', 'c'] },
    { say: 'delta', item: 'message', part: 'output_text', text: 'd' },
  ],
  'an item of no parts': [{ say: 'item', item: 'message', part: 'output_text', texts: [] }],
  'a whole item of reasoning text': [
    { say: 'item', item: 'reasoning', part: 'reasoning_text', texts: ['deep'] },
  ],
  'a message that ends in a refusal': [
    { say: 'delta', item: 'message', part: 'output_text', text: 'I would, ' },
    { say: 'delta', item: 'message', part: 'refusal', text: 'but I must not' },
  ],
}
for (const [way, parts] of Object.entries(ways)) {
  t.test(`an agent may say ${way}`, async t => {
    const { system, frames, taskId } = await played(
      system => system.create({ client_id: 'speaker' }),
      [speaker('speaker', parts)],
    )
    mustBeWellFormed(t, taskId, frames)
    const done = frames.filter(frame => frame.type === 'task.output_item.done').map(frame => frame.item)
    t.same(done, system.get(taskId).output)
    const saidBefore = parts.map(textSaid).sort().join('')
    const told = frames.filter(frame => /delta$/.test(frame.type)).map(frame => frame.delta as string)
    t.equal([...told.join('')].sort().join(''), [...saidBefore].sort().join(''), 'nothing said is lost')
  })
}

t.test('a frame that was handed out never changes afterwards', async t => {
  const system = await givenSystem()
  const taskId = await system.play([
    { message: 'one two three four', delta_ms: 60 },
    { pause: 'x' },
    { message: 'y' },
  ])
  await system.world.advance(1000)
  await system.commands.resume(admin, taskId, 'req')
  await quiet(system)
  const view = emptyTask()
  const held: { frame: Frame; text: string }[] = []
  for (const event of await eventsOf(system, taskId)) {
    for (const frame of renderFrames(view, event)) held.push({ frame, text: JSON.stringify(frame) })
  }
  for (const { frame, text } of held) t.equal(JSON.stringify(frame), text, frame.type)
})

t.test('the task in a frame is the fold of the facts to there', async t => {
  const { system, taskId } = await played(system =>
    system.play([{ message: 'a b', delta_ms: 60 }, { pause: 'x' }]),
  )
  const told = emptyTask()
  const folded = emptyTask()
  for (const event of await eventsOf(system, taskId)) {
    const frames = renderFrames(told, event)
    evolve(folded, event)
    for (const frame of frames) if (frame.task !== undefined) t.same(frame.task, taskOf(folded), frame.type)
  }
})

t.test('an event that was numbered otherwise is damage, and never renumbered', async t => {
  const events = recorded([created, fact('TaskQueued', { from: 'created' })])
  const spoilt = (change: object) => {
    const [first, second] = events
    if (first === undefined || second === undefined) throw new Error('two events')
    return [first, { ...second, header: { ...second.header, ...change } }]
  }
  t.equal(framesFrom(events).length, 2)
  for (const change of [{ frames: 0 }, { frames: 2 }, { seq: 0 }, { seq: 2 }, { seq: undefined }]) {
    t.throws(
      () => framesFrom(spoilt(change)),
      { message: /its header numbers them differently/ },
      JSON.stringify(change),
    )
  }
  try {
    framesFrom(spoilt({ seq: 7 }))
  } catch (error) {
    t.ok(error instanceof DamagedEvent)
    t.equal((error as DamagedEvent).position, 2, 'it names the position')
  }
})
