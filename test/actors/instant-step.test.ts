// An agent that answers without waiting takes its first step in the turn that starts its task.
import t from 'tap'
import { echo } from '../../src/agents/echo.ts'
import type { Agent } from '../../src/contract/agent.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import type { Store } from '../../src/log/store.ts'
import { failingStore, givenSystem, quiet, rowsOf, type TestSystem } from '../support/system.ts'

/** A store that notes the types of the events of each commit. */
const countedStore = () => {
  const inner = memoryStore()
  const commits: string[][] = []
  const store: Store = {
    ...inner,
    async write(batch) {
      const from = rowsOf(inner).length
      await inner.write(batch)
      const types = rowsOf(inner)
        .slice(from)
        .map(({ header }) => JSON.parse(header).type as string)
      commits.push(types)
    },
  }
  return { store, commits }
}

const said = (system: TestSystem, taskId: string) => system.get(taskId).output.at(-1)?.message_content[0].text

t.test('one commit stores the whole echo task', async t => {
  const { store, commits } = countedStore()
  const system = await givenSystem({ store })
  commits.length = 0
  const taskId = await system.create({ user_message_content: 'hello', background: false })
  t.match(system.get(taskId), { status: 'completed' })
  t.equal(said(system, taskId), 'hello')
  t.equal(commits.length, 1)
  t.same([commits[0]?.[0], commits[0]?.at(-1)], ['TaskCreated', 'TaskCompleted'])
  await system.close()
})

t.test(
  'a create in the background is stored before its step, so its answer shows a task that has not ended',
  async t => {
    const { store, commits } = countedStore()
    const system = await givenSystem({ store })
    commits.length = 0
    const taskId = await system.create({ user_message_content: 'hello', background: true })
    await quiet(system)
    t.equal(system.get(taskId).status, 'completed')
    t.equal(commits.length, 2)
    t.notOk(commits[0]?.includes('TaskCompleted'))
    await system.close()
  },
)

t.test('a task that waited in line takes its step after its start', async t => {
  const system = await givenSystem({ maxRunningTasks: 1 })
  const first = await system.play([{ sleep_ms: 50 }, { message: 'done' }], { background: true })
  const second = await system.create({ user_message_content: 'next', background: true })
  t.equal(system.get(second).status, 'queued')
  await system.world.advance(100)
  await quiet(system)
  t.same([system.get(first).status, system.get(second).status], ['completed', 'completed'])
  await system.close()
})

t.test(
  'when the disk fails, the create is refused and nothing of the task is left; later the same create works',
  async t => {
    const { store, failNext } = failingStore()
    const system = await givenSystem({ store })
    failNext('lost')
    await t.rejects(system.create({ task_id: 'mine', user_message_content: 'hello', background: false }), {
      message: 'the event log could not be written',
    })
    t.equal([...system.runtime.views()].length, 0)
    await system.create({ task_id: 'mine', user_message_content: 'hello', background: false })
    t.match(system.get('mine'), { status: 'completed' })
    t.equal(rowsOf(store).filter(({ header }) => header.includes('"TaskCreated"')).length, 1)
    await system.close()
  },
)

t.test('an agent whose answer throws fails its task, as an agent whose step throws does', async t => {
  const broken: Agent = {
    ...echo,
    reply: () => {
      throw new Error('no words')
    },
  }
  const system = await givenSystem({ agents: [broken] })
  const taskId = await system.create({ user_message_content: 'hello', background: false })
  t.match(system.get(taskId), { status: 'failed', error: { code: -32000, message: 'no words' } })
  await system.close()
})
