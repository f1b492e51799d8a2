// A create asks the tables about its session or its key. It waits only for rows that concern them.
import t from 'tap'
import type { TestSystem } from '../support/system.ts'
import { admin, givenSystem, holdReadModels, quiet, refused } from '../support/system.ts'

const retry = { key: undefined, isRetry: false }
const rest = async (system: TestSystem) => {
  await quiet(system)
  return system.projector.reached()
}

type Start = { context: { stream: string }[]; context_of?: string }

/** The tasks in the context of a task, without the task itself, oldest first. */
const contextOf = async ({ stored }: TestSystem, taskId: string): Promise<string[]> => {
  const events = await stored()
  const namedBy = (stream: string): string[] => {
    const start = events.find(({ header }) => header.type === 'TaskStarted' && header.stream === stream)
    const { context, context_of } = (start?.data ?? { context: [] }) as Start
    const newest = context.map(named => named.stream).filter(named => named !== stream)
    return [...(context_of === undefined ? [] : namedBy(context_of)), ...newest]
  }
  return namedBy(`task-${taskId}`).map(stream => stream.slice('task-'.length))
}

t.test('a create in another session or with another key writes no rows', async t => {
  const system = await givenSystem()
  t.teardown(system.close)
  await system.create({ session_id: 'a' })
  const before = await rest(system)
  for (const n of [1, 2, 3]) {
    await system.create({ session_id: `b-${n}` }, { key: `k-${n}` })
    await system.create({}, { key: `l-${n}` })
  }
  t.equal(await rest(system), before)
  t.ok(before < system.log.head(), 'there are rows to write')
})

t.test('the context of a task has the task that has just ended in its session', async t => {
  const system = await givenSystem()
  t.teardown(system.close)
  const tasks: string[] = []
  for (let n = 0; n < 5; n++) {
    const id = await system.create({ session_id: 's' })
    await system.create({ session_id: 'other' })
    await quiet(system)
    t.same(await contextOf(system, id), tasks)
    tasks.push(id)
  }
})

t.test(
  'a deleted task is not in the context of the next one, also not in the session of its fork',
  async t => {
    const system = await givenSystem()
    t.teardown(system.close)
    const { commands } = system
    const first = await system.create({ session_id: 's' })
    const second = await system.create({ session_id: 's' })
    await quiet(system)
    const at =
      (await system.stored()).findLast(({ header }) => header.stream === `task-${second}`)?.header.seq ?? 0
    await commands.fork(admin, second, 'req', { at, task_id: 'fork', run: false }, retry)
    const f = system.get('fork').session_id
    const beside = await system.create({ session_id: f })
    await quiet(system)
    t.ok((await contextOf(system, beside)).includes(first), 'the session of the fork begins with its past')

    system.projector.flush()
    await commands.remove(admin, first, 'req')
    const written = system.projector.reached()
    t.ok(written < system.log.head(), 'the row of the deleted task is still the old one')
    for (const session_id of [f, 's']) {
      const id = await system.create({ session_id })
      await quiet(system)
      t.notOk((await contextOf(system, id)).includes(first), session_id)
    }
  },
)

t.test('a key is known as soon as its task is stored', async t => {
  const system = await givenSystem()
  t.teardown(system.close)
  for (const n of [1, 2, 3]) {
    const id = await system.create({}, { key: `k-${n}` })
    t.equal(await system.create({}, { key: `k-${n}` }), id)
    await t.rejects(system.create({ user_message_content: 'other' }, { key: `k-${n}` }), refused('Conflict'))
  }
})

t.test('a create is refused when the rows that it needs cannot be written', async t => {
  const system = await givenSystem()
  t.teardown(system.close)
  const release = holdReadModels(system)
  const id = await system.create({ session_id: 's' }, { key: 'k' })
  await system.create({ session_id: 'other' }, { key: 'l' })
  await t.rejects(system.create({ session_id: 's' }), refused('ReadModelsBehind'))
  await t.rejects(system.create({}, { key: 'k' }), refused('ReadModelsBehind'))
  await release()
  t.equal(await system.create({ session_id: 's' }, { key: 'k' }), id)
})

t.test('a create is refused when rows were lost that it may need, until they are made again', async t => {
  const system = await givenSystem()
  t.teardown(system.close)
  system.projector.flush()
  const id = await system.create({ session_id: 's' }, { key: 'k' })
  await system.create({ session_id: 's' })
  t.equal(system.projector.reached() > 0, true, 'the second create has written the rows of the first')
  system.readStore().exec('ROLLBACK')
  await t.rejects(system.create({}, { key: 'k' }), refused('ReadModelsBehind'))
  await system.projector.catchUp()
  t.equal(await system.create({ session_id: 's' }, { key: 'k' }), id, 'the key is still known')
})
