// A cancel reaches whatever a task with a model is doing: its receipt is in the log, the connection is closed, and
// nothing more is asked.
import t, { type Test } from 'tap'
import type { TaskEventData } from '../../src/contract/events/task-events.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import { type AgentTask, holds, outline } from '../http/agent-tasks.ts'
import { type Answer, delta } from '../support/fake-model.ts'
import { pause, until } from '../support/http.ts'
import { modelTasks } from './model-tasks.ts'
import { replayTasks } from './streams/replay.ts'

t.jobs = 8 // most of them wait
/** For tests that keep a processor busy: at such a time the effects of other tests would take longer to stop. */
const alone = { buffered: false }

type Tasks = Pick<
  Awaited<ReturnType<typeof modelTasks>>,
  'server' | 'api' | 'post' | 'get' | 'act' | 'frames'
> &
  Parameters<typeof holds>[1] & { asked: { closed: Promise<void> }[] }

const eventsOf = async ({ server }: Tasks, id: string): Promise<Recorded[]> => {
  const events: Recorded[] = []
  for await (const page of server.system.log.readStream(taskStream(id))) events.push(...page)
  return events
}
const typesOf = async (tasks: Tasks, id: string) =>
  (await eventsOf(tasks, id)).map(({ header }) => header.type)

/** Whatever still waited would have been heard of by then. */
const longEnoughMs = 2500

/**
 * Starts a task, cancels it at a moment, and looks at what the log says from the cancel on: receipts first, each of
 * them of something that has stopped, then the ends.
 */
const canceled = async (
  t: Test,
  tasks: Tasks,
  { request = {}, at }: { request?: object; at: (id: string) => Promise<unknown> },
): Promise<{ task: AgentTask; facts: string[] }> => {
  const created = await tasks.post({ background: true, ...request })
  const { id } = created.body.result
  await at(id)
  const answer = await tasks.act(id, 'cancel')
  t.match([answer.status, (answer.body as unknown as AgentTask).status], [200, 'canceled'])
  const asked = tasks.asked.length
  await Promise.all(tasks.asked.map(({ closed }) => closed)) // or the test runs out of time
  const events = await eventsOf(tasks, id)
  const facts = events.map(({ header }) => header.type)
  const from = facts.indexOf('CancelRequested')
  const receipts = events
    .slice(from)
    .flatMap(({ header, data }) =>
      header.type === 'EffectStopped' ? [data as TaskEventData<'EffectStopped'>] : [],
    )
  t.ok(receipts.length > 0)
  for (const receipt of receipts) t.match(receipt, { effect_id: String, stopped: true })
  await pause(longEnoughMs)
  t.equal(tasks.asked.length, asked, 'nothing more was asked')
  t.same(await typesOf(tasks, id), facts, 'and nothing more was stored')
  const { task } = await holds(t, tasks, id)
  return { task, facts: facts.slice(from) }
}

const ofAStep = ['CancelRequested', 'EffectStopped', 'AgentStepAbandoned', 'AgentCompleted', 'TaskCanceled']
const held: Answer = { text: 'on and on', finish_reason: null, hang: true }
/** Until so much of the answer is stored. */
const said = (tasks: Tasks) => (id: string) =>
  until(async () => (await typesOf(tasks, id)).includes('ItemDelta'))
const begun = (tasks: Tasks) => (id: string) =>
  until(async () => tasks.asked.length > 0 && (await typesOf(tasks, id)).includes('AgentStepStarted'))

t.test('while an answer comes', async t => {
  const tasks = await modelTasks(t, [held])
  const { task, facts } = await canceled(t, tasks, { at: said(tasks) })
  t.same(facts, ofAStep)
  t.same(outline(task), ['message incomplete'])
})

t.test('while an answer pours in', alone, async t => {
  const tasks = await modelTasks(t, [{ text: 'on and ', repeat: 10_000_000 }])
  const { task, facts } = await canceled(t, tasks, { at: said(tasks) })
  t.same(
    facts.filter(type => type !== 'ItemDelta'),
    ofAStep,
  )
  t.same(outline(task), ['message incomplete'])
})

t.test('while arguments of a call come: it is never made', async t => {
  const piece = { index: 0, function: { name: 'write_file', arguments: '{"path":"a.txt","content":"' } }
  const tasks = await modelTasks(t, [{ chunks: [delta({ tool_calls: [piece] })], hang: true }])
  const { task, facts } = await canceled(t, tasks, { at: said(tasks) })
  t.same(facts, ofAStep)
  t.same(outline(task), ['tool_call write_file incomplete'])
})

t.test('before the endpoint has said anything', async t => {
  const tasks = await modelTasks(t, [{ delay_ms: 600_000 }])
  const { task, facts } = await canceled(t, tasks, { at: begun(tasks) })
  t.same(facts, ofAStep)
  t.same(task.output, [])
})

t.test('at once, whether or not the endpoint was asked', async t => {
  const tasks = await modelTasks(t, [{ delay_ms: 600_000 }])
  const { task } = await canceled(t, tasks, { at: async () => {} })
  t.same(task.output, [])
})

t.test('while an answer that is no stream comes', async t => {
  const never = async function* () {
    yield '{"choices":[{"message":{"content":"on'
    await new Promise(() => {})
  }
  const headers = { 'content-type': 'application/json' }
  const tasks = await replayTasks(t, () => ({ body: never(), headers }))
  const { facts } = await canceled(t, tasks, { at: begun(tasks) })
  t.same(facts, ofAStep)
})

t.test('while a failure is being told', async t => {
  const never = async function* () {
    yield '{"error":{"message":"on'
    await new Promise(() => {})
  }
  const tasks = await replayTasks(t, () => ({ body: never(), status: 500 }))
  const { facts } = await canceled(t, tasks, { at: begun(tasks) })
  t.same(facts, ofAStep)
})

t.test('while it waits to ask a busy endpoint again', async t => {
  const tasks = await modelTasks(t, [{ error: { status: 429, headers: { 'retry-after': '2' } } }])
  const at = async (id: string) => {
    await begun(tasks)(id)
    await tasks.asked[0]?.closed
  }
  const { task, facts } = await canceled(t, tasks, { at })
  t.same(facts, ofAStep)
  t.same(task.output, [])
})

t.test('while it waits to begin a step anew', async t => {
  const tasks = await modelTasks(t, [{ when: '', text: 'half of', finish_reason: null, cut: true }])
  const at = async (id: string) => {
    const abandoned = async () =>
      (await typesOf(tasks, id)).filter(type => type === 'AgentStepAbandoned').length === 3
    await until(abandoned) // the wait after the third is the longest
  }
  const { task, facts } = await canceled(t, tasks, { at })
  t.equal(facts.at(-1), 'TaskCanceled')
  t.same(outline(task), Array(3).fill('message incomplete'))
})

t.test('while it sums up what is too long', async t => {
  const history_messages = ['one', 'two', 'three'].map(name => ({
    type: 'message',
    role: 'user',
    message_content: `${name} ${'word '.repeat(200)}`,
  }))
  const agent_config = { max_model_length: 2000, compress_threshold_token_ratio: 0.25 }
  const summaries: Answer[] = [{ delay_ms: 600_000 }, { text: 'They said', finish_reason: null, hang: true }]
  const sumUp = async (summary: Answer) => {
    const tasks = await modelTasks(t, [summary])
    const isAsked = async (id: string) =>
      tasks.asked.length > 0 && (await typesOf(tasks, id)).includes('CompressionStarted')
    const { task, facts } = await canceled(t, tasks, {
      request: { history_messages, agent_config },
      at: id => until(() => isAsked(id)),
    })
    t.same(facts, ofAStep)
    t.same(task.output, [])
  }
  await Promise.all(summaries.map(sumUp))
})

t.test('while its tools and its subagent work', alone, async t => {
  const endless = { name: 'run_javascript', arguments: { code: 'for (;;) {}' } }
  const tasks = await modelTasks(t, [
    { when: 'hello', tool_calls: [endless, { name: 'agent_model', arguments: { input: 'look around' } }] },
    { ...held, when: 'look around' },
  ])
  let child = ''
  const { task, facts } = await canceled(t, tasks, {
    request: { user_message_content: 'hello' },
    at: async id => {
      const list = async () => {
        const answer = await tasks.api('GET', '/tasks?include_subtasks=true')
        const { result } = (await answer.json()) as { result: AgentTask[] }
        child = result.find(one => one.metadata?.parent_task_id === id)?.id ?? ''
        return child !== '' && (await typesOf(tasks, child)).includes('ItemDelta')
      }
      await until(list)
    },
  })
  const moves = facts.filter(type => type !== 'EffectCompleted') // the subagent's end may still be heard
  t.same(moves, ['CancelRequested', 'EffectStopped', 'EffectStopped', 'AgentCompleted', 'TaskCanceled'])
  t.same(outline(task).slice(0, 2), ['tool_call run_javascript completed', 'tool_call agent_model completed'])
  const childFacts = await typesOf(tasks, child)
  t.same(childFacts.slice(childFacts.indexOf('CancelRequested')), ofAStep)
  const [own, its] = await Promise.all([eventsOf(tasks, task.id), eventsOf(tasks, child)])
  const endOf = (events: Recorded[]) =>
    events.find(({ header }) => header.type === 'TaskCanceled')?.position ?? Number.NaN
  t.ok(endOf(its) < endOf(own), 'the subagent first')
  const receipt = its.find(({ header }) => header.type === 'EffectStopped')
  t.match(receipt?.data, { stopped: true })
})

t.test('whatever else ends its work closes the connection, too', async t => {
  const ways: Record<string, { env?: Record<string, string>; end: (tasks: Tasks) => Promise<unknown> }> = {
    'a delete': { end: tasks => tasks.api('DELETE', '/tasks/held') },
    // On a busy machine the first delta may come seconds after the task has begun to work.
    'its deadline': { env: { TASK_TTL_WORKING: '5' }, end: async () => {} },
    'the end of the server': { end: ({ server }) => server.stop() },
  }
  const release = async ([name, { env, end }]: [string, (typeof ways)[string]]) => {
    const tasks = await modelTasks(t, [held], env)
    await tasks.post({ background: true, task_id: 'held' })
    await said(tasks)('held')
    await end(tasks)
    const closed = tasks.asked[0]?.closed.then(() => 'closed')
    t.equal(await Promise.race([closed, pause(60_000)]), 'closed', name)
    t.equal(tasks.asked.length, 1, name)
  }
  await Promise.all(Object.entries(ways).map(release))
})
