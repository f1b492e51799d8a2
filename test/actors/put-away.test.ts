// A task can be put away after anything that was stored and taken up again with the same outcome: each prefix of a
// history's commits, alone in a new store, is given to a new system, which goes on from there.
import t, { type Test } from 'tap'
import type { Agent } from '../../src/contract/agent.ts'
import type { ScriptStep, Usage } from '../../src/contract/wire.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import type { Store } from '../../src/log/store.ts'
import { eventsOf, framesFrom, saidIn, taskFrom, withoutIdsAndTimes } from '../history/told.ts'
import { admin, givenSystem, quiet, rowsOf, storeOf, type TestSystem } from '../support/system.ts'
import { testWorld } from '../support/world.ts'

const later = Date.parse('2026-01-02T00:00:00.000Z')

/** Lets everything run to its end; whatever is paused is resumed. */
const runOut = async (system: TestSystem, taskId: string) => {
  for (let n = 0; n < 20; n++) {
    await system.world.advance(500)
    const { status } = system.get(taskId)
    if (status === 'paused') await system.commands.resume(admin, taskId, 'req')
    else if (status === 'completed' || status === 'failed') return
  }
}

type Finished = Awaited<ReturnType<typeof finished>>
const finished = async (make: (system: TestSystem) => Promise<string>, agents: Agent[] = []) => {
  const inner = memoryStore()
  /** How many events were stored after each commit. */
  const commits: number[] = []
  const store: Store = {
    ...inner,
    async write(batch) {
      await inner.write(batch)
      commits.push(rowsOf(inner).length)
    },
  }
  const system = await givenSystem({ agents, store })
  const taskId = await make(system)
  await runOut(system, taskId)
  const events = await eventsOf(system, taskId)
  const rows = rowsOf(inner)
  await system.close()
  return { taskId, events, rows, agents, commits }
}
const takenUp = async ({ taskId, rows, agents }: Finished, length: number) => {
  const store = await storeOf(rows.slice(0, length))
  const system = await givenSystem({ store, agents, world: testWorld(2, later, 'b') })
  await runOut(system, taskId)
  const events = await eventsOf(system, taskId)
  await system.close()
  return { events, frames: framesFrom(events), task: taskFrom(events) }
}

/** Between two agent steps nothing of the outcome may differ. */
const isBetweenSteps = ({ events }: Finished, length: number): boolean => {
  let open = false
  for (const { header } of events.slice(0, length)) {
    if (header.type === 'AgentStepStarted' || header.type === 'ItemSaid') open = true
    if (header.type === 'AgentStepCompleted' || header.type === 'AgentStepAbandoned') open = false
  }
  return !open
}

const scripts: Record<string, ScriptStep[]> = {
  'nothing at all': [],
  'one message': [{ message: 'hello' }],
  'a streamed message': [{ message: 'one two three four five', delta_ms: 60 }],
  'a long streamed message': [{ message: 'wörter '.repeat(400), delta_ms: 0 }],
  'thoughts, words and usage': [
    { reasoning: 'let me see' },
    { message: 'one two three', delta_ms: 100 },
    { usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } },
    { sleep_ms: 400 },
    { usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, model: 'x' } as Usage },
    { message: 'done' },
  ],
  'a pause in the middle': [
    { message: 'before it', delta_ms: 60 },
    { pause: 'tea' },
    { reasoning: 'tea was good' },
    { pause: 'more tea' },
    { message: 'after it', delta_ms: 60 },
  ],
  'a failure at the end': [
    { message: 'this goes well', delta_ms: 60 },
    { fail: { code: -32000, message: 'and this does not' } },
  ],
}

/** Goes through every prefix of a history, commit by commit; the answer: how many were cut between steps and inside of one. */
const everyPrefix = async (t: Test, whole: Finished) => {
  const cuts = { between: 0, inside: 0 }
  const wholeFrames = withoutIdsAndTimes(framesFrom(whole.events))
  const wholeTask = taskFrom(whole.events)
  for (const length of whole.commits) {
    const again = await takenUp(whole, length)
    const after = `after ${length}, ${whole.events[length - 1]?.header.type}`
    const numbers = again.frames.map(frame => frame.sequence_number)
    t.same(numbers, [...numbers.keys()], `${after}: numbers without holes`)
    t.equal(again.task.status, wholeTask.status, `${after}: the same end`)
    t.same(saidIn(again.task.output), saidIn(wholeTask.output), `${after}: the same output`)
    t.same(again.task.usage, wholeTask.usage, `${after}: the same usage`)
    t.same(again.task.error, wholeTask.error, `${after}: the same error`)
    if (isBetweenSteps(whole, length)) {
      cuts.between++
      t.same(withoutIdsAndTimes(again.frames), wholeFrames, `${after}: the same frames`)
    } else {
      cuts.inside++
      const opened = again.events.filter(({ header }) => header.type === 'AgentStepStarted').length
      const abandoned = again.events.filter(({ header }) => header.type === 'AgentStepAbandoned').length
      const wasOpened = whole.events.filter(({ header }) => header.type === 'AgentStepStarted').length
      t.ok(opened - abandoned <= wasOpened, `${after}: what began again was abandoned before`)
    }
  }
  return cuts
}

for (const [name, steps] of Object.entries(scripts)) {
  t.test(`put away after each of its events, the script "${name}" comes to the same end`, async t => {
    const cuts = await everyPrefix(t, await finished(system => system.play(steps)))
    t.ok(cuts.between > 0)
    if (steps.some(step => step.delta_ms)) t.ok(cuts.inside > 0, 'some cuts fell inside a step')
  })
}

t.test('put away inside a step, its items are marked incomplete and it is said again', async t => {
  const whole = await finished(system => system.play([{ message: 'one two three', delta_ms: 100 }]))
  const types = whole.events.map(({ header }) => header.type)
  const { task, frames, events } = await takenUp(whole, types.lastIndexOf('ItemDelta'))
  t.match(task.output, [
    { type: 'message', status: 'incomplete' },
    { type: 'message', status: 'completed', message_content: [{ text: 'one two three' }] },
  ])
  t.equal(task.output.length, 2)
  const done = frames.filter(frame => frame.type === 'task.output_item.done')
  t.match(done, [{ item: { status: 'incomplete' } }, { item: { status: 'completed' } }])
  t.same(
    done.map(frame => frame.agent_step),
    [1, 1],
    'the same agent step again',
  )
  const effects = events.flatMap(({ header, data }) =>
    header.type === 'AgentStepStarted' ? [(data as { effect_id: string }).effect_id] : [],
  )
  t.equal(new Set(effects).size, 2, 'as another effect')
})

t.test('an item that was complete when its step was cut is not said twice', async t => {
  // Two items in one step, as the demo agent and models speak.
  const both: Agent = {
    name: 'both',
    async *step() {
      yield { say: 'delta', item: 'reasoning', part: 'summary_text', text: 'hm' }
      yield { say: 'delta', item: 'message', part: 'output_text', text: 'word '.repeat(500) }
      yield { say: 'delta', item: 'message', part: 'output_text', text: 'word '.repeat(500) }
      return { end: 'answer' }
    },
  }
  const whole = await finished(system => system.create({ client_id: 'both' }), [both])
  t.ok(
    whole.events.some(({ header }) => header.type === 'AgentStepStarted'),
    'the step is stored bit by bit',
  )
  await everyPrefix(t, whole)
})

t.test('a task that was paused by hand comes to the same output wherever it is put away', async t => {
  const whole = await finished(async system => {
    const taskId = await system.play([
      { message: 'one two three', delta_ms: 100 },
      { sleep_ms: 300 },
      { message: 'four' },
    ])
    await system.world.advance(120)
    await system.commands.pause(admin, taskId, 'req')
    await quiet(system)
    return taskId
  })
  const types = whole.events.map(({ header }) => header.type)
  t.ok(types.includes('PauseRequested') && types.includes('TaskPaused') && types.includes('TaskResumed'))
  for (const length of whole.commits) {
    const { task, events } = await takenUp(whole, length)
    const after = `after ${length}, ${types[length - 1]}`
    t.same(saidIn(task.output), saidIn(taskFrom(whole.events).output), after)
    const asked = types.slice(0, length).includes('PauseRequested')
    const paused = events.some(({ header }) => header.type === 'TaskPaused')
    t.equal(paused, asked, `${after}: a pause that was asked for is not forgotten`)
  }
})

t.test('a task that has ended is read once for many rewards', async t => {
  const store = memoryStore()
  let reads = 0
  const streamPage = (...given: Parameters<typeof store.streamPage>) => {
    reads++
    return store.streamPage(...given)
  }
  const system = await givenSystem({ store: { ...store, streamPage } })
  const id = await system.play([{ message: 'done' }])
  await system.world.advance(60_000)
  reads = 0
  for (const value of [1, 2, 3]) await system.commands.reward(admin, id, 'req', { value })
  t.equal(reads, 1)
  await system.world.advance(120_000)
  await system.commands.reward(admin, id, 'req', { value: 4 })
  t.equal(reads, 2, 'when nobody asked for it for a while, it has left memory')
})
