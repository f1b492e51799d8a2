// Read models can stop anywhere, be thrown away, and are never believed to be further than they are.

import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import type { Projection } from '../../projections/folding.ts'
import { createProjector } from '../../projections/projector.ts'
import { openReadStore } from '../../projections/store.ts'
import { rowsRead, rowsRebuilt } from '../actors/simulation.ts'
import {
  admin,
  givenSystem,
  quiet,
  refused,
  restarted,
  rowsOf,
  storeOf,
  type TestSystem,
} from '../support/system.ts'
import { asked, hour, make, type Reply, receiver, settleAll } from '../webhooks/without-network.ts'

/** Some tasks in several states. */
const someTasks = async (system: TestSystem) => {
  await system.create({}, { key: 'k' })
  await system.play([{ message: 'a b c', delta_ms: 60 }, { reasoning: 'x' }], { session_id: 's' })
  await system.play([{ pause: 'tea' }])
  await system.play([{ fail: { code: 1, message: 'no' } }])
  const canceled = await system.play([{ sleep_ms: 100_000 }])
  await system.create({ session_id: 's' })
  await system.world.advance(1000)
  await system.commands.cancel(admin, canceled, 'req')
}
const wish = {
  userId: undefined,
  sessionId: undefined,
  statuses: [],
  startingAfter: undefined,
  endingBefore: undefined,
  limit: 100,
  order: 'desc' as const,
  includeSubtasks: false,
}
const fresh = (system: TestSystem) => rowsRebuilt(system.store)

t.test('rebuilt from nothing they are the same, byte for byte', async t => {
  const system = await givenSystem()
  await someTasks(system)
  t.equal(rowsRead(system), await fresh(system))
})

t.test('rebuilt from nothing a deleted task ended when it ended', async t => {
  const system = await givenSystem()
  const taskId = await system.create({})
  await system.world.advance(5000)
  await system.commands.remove(admin, taskId, 'req')
  t.equal(rowsRead(system), await fresh(system))
})

t.test(
  'rebuilt from nothing, webhooks have the deliveries and tries that were written one by one',
  async t => {
    const replies: Reply[] = [500, 'fail', 200, 429, 500, 500, 410]
    const { outside, world } = receiver(replies)
    const system = await givenSystem({ outside, world })
    const { webhook } = await make(system)
    const removed = (await make(system)).webhook
    for (let n = 0; n < 4; n++) {
      await system.create({})
      await quiet(system)
      await world.advance(hour)
    }
    await system.webhooks.commands.remove(asked, removed.id)
    await settleAll(system)
    const page = { limit: 1, after: undefined }
    const [newest] = system.webhooks.queries.deliveries(asked.principal, webhook.id, page)
    if (newest === undefined) throw new Error('nothing was delivered')
    replies.push(500, 200)
    for (let n = 0; n < 2; n++)
      await system.webhooks.tries.redeliver(asked, webhook.id, String(newest.position))
    t.equal(rowsRead(system), await fresh(system))
    const [after] = system.webhooks.queries.deliveries(asked.principal, webhook.id, page)
    t.ok((after?.tries.length ?? 0) > newest.tries.length, 'some were asked for')
    await system.close()
  },
)

t.test('stopped after any event they go on to the same rows', async t => {
  const system = await givenSystem()
  await someTasks(system)
  const rows = rowsOf(system.store)
  const whole = rowsRead(system)
  const folder = t.testdir()
  for (let stop = 0; stop <= rows.length; stop += 5) {
    const readModels = path.join(folder, `read-${stop}.db`)
    const short = await givenSystem({ store: await storeOf(rows.slice(0, stop)), readModels, idle: true })
    await short.close()
    const lines: string[] = []
    const report = (_level: string, message: string) => void lines.push(message)
    const long = await givenSystem({ store: await storeOf(rows), readModels, idle: true, report })
    t.equal(rowsRead(long), whole, `stopped after ${stop}`)
    t.same(lines, [], 'nothing was thrown away')
    await long.close()
  }
})

t.test('a restart goes on where the file stopped, without reading everything again', async t => {
  const readModels = path.join(t.testdir(), 'read.db')
  const lines: string[] = []
  const system = await givenSystem({ readModels, report: (_level, message) => void lines.push(message) })
  await someTasks(system)
  await quiet(system)
  const before = rowsRead(system)
  const again = await restarted(system)
  t.equal(rowsRead(again), before)
  t.same(lines, [])
})

t.test('a file of another log is thrown away', async t => {
  const readModels = path.join(t.testdir(), 'read.db')
  const one = await givenSystem({ readModels })
  await someTasks(one)
  await one.close()
  const other = await givenSystem()
  for (let n = 0; n < 20; n++) await other.create({ user_message_content: `other ${n}` })
  await quiet(other)
  const lines: string[] = []
  const system = await givenSystem({
    ...other.options,
    readModels,
    report: (_level, message) => void lines.push(message),
  })
  t.match(lines, [/another log/])
  t.equal(rowsRead(system), await fresh(system))
})

t.test('a file that is ahead of the log, as after a restored backup, is thrown away', async t => {
  const readModels = path.join(t.testdir(), 'read.db')
  const one = await givenSystem({ readModels })
  await someTasks(one)
  const rows = rowsOf(one.store)
  await one.close()
  const system = await givenSystem({ ...one.options, store: await storeOf(rows.slice(0, 7)), readModels })
  t.equal(rowsRead(system), await fresh(system))
})

for (const [what, spoil] of Object.entries({
  'is no database': (file: string) =>
    writeFileSync(file, 'this is no database, and long enough to be read as one'),
  'is cut short': (file: string) => writeFileSync(file, Buffer.alloc(5000)),
  'is of another version': (file: string) => {
    const db = new Database(file)
    db.pragma('user_version = 999')
    db.close()
  },
  'is gone': (file: string) => rmSync(file),
})) {
  t.test(`a file that ${what} is made anew`, async t => {
    const readModels = path.join(t.testdir(), 'read.db')
    const system = await givenSystem({ readModels })
    await someTasks(system)
    await quiet(system)
    await system.close()
    for (const suffix of ['-wal', '-shm']) rmSync(readModels + suffix, { force: true })
    spoil(readModels)
    const again = await givenSystem(system.options)
    await quiet(again)
    t.equal(rowsRead(again), await fresh(again))
  })
}

/** Makes the next write to the read models fail, once. */
const breakOnce = (system: TestSystem) => {
  const store = system.readStore()
  store.exec("CREATE TEMP TRIGGER broken BEFORE INSERT ON tasks BEGIN SELECT raise(ABORT, 'disk full'); END")
  return () => store.exec('DROP TRIGGER IF EXISTS broken')
}

t.test('when a read model cannot be written, callers are answered and lists say so', async t => {
  const lines: string[] = []
  const system = await givenSystem({ report: (level, message) => void lines.push(`${level} ${message}`) })
  const repair = breakOnce(system)
  const taskId = await system.create({})
  t.type(taskId, 'string')
  t.equal((await system.commands.atRest(taskId)).status, 'completed', 'from the fold of its stream')
  t.throws(() => system.queries.list(wish), refused('ReadModelsBehind'))
  t.match(lines, [/error .*lists answer 503/])
  repair()
})

t.test('read models that could not be written catch up by themselves once they can', async t => {
  const system = await givenSystem()
  const repair = breakOnce(system)
  const first = await system.create({})
  await quiet(system)
  repair()
  const second = await system.create({})
  await system.world.advance(60_000)
  t.ok(system.queries.isCurrent(), 'they caught up')
  t.doesNotThrow(() => system.queries.list(wish))
  t.doesNotThrow(() => system.get(first))
  t.doesNotThrow(() => system.get(second))
})

t.test('while the read models are behind, a key does not make a second task', async t => {
  const system = await givenSystem()
  const repair = breakOnce(system)
  const first = await system.create({}, { key: 'k' })
  await quiet(system)
  const second = await system.create({}, { key: 'k' }).catch(error => error.reason)
  t.ok(second === first || second === 'ReadModelsBehind', `it was ${second}, after ${first}`)
  const created = (await system.stored()).filter(({ header }) => header.type === 'TaskCreated')
  t.equal(created.length, 1)
  repair()
})

t.test('while the read models are behind, a known id does not free the place of its task', async t => {
  const system = await givenSystem()
  const repair = breakOnce(system)
  const body = {
    task_id: 'mine',
    session_id: 's',
    agent_config: { agent_id: 'script', script: [{ sleep_ms: 5000 }] },
  }
  await system.create(body)
  await system.create(body).catch(() => {})
  t.equal(system.scheduler.counts().running, 1)
  repair()
})

t.test('one commit may hold the end of one task and news of an old one', async t => {
  const lines: string[] = []
  const system = await givenSystem({ report: (level, message) => void lines.push(`${level} ${message}`) })
  const [old, young] = [await system.create({}), await system.play([{ sleep_ms: 100_000 }])]
  await quiet(system)
  system.projector.flush()
  const by = { principal: 'admin', causation: 'req' }
  const ask = (taskId: string, command: Parameters<typeof system.runtime.ask>[1]) =>
    system.runtime.ask(`task-${taskId}`, command)
  await ask(young, { type: 'CancelTask', ...by })
  await system.world.advance(1)
  await Promise.all([
    ask(old, { type: 'GiveReward', reward: { value: 1 }, ...by }),
    ask(young, { type: 'DeleteTask', ...by }),
  ])
  t.ok(system.queries.isCurrent())
  t.same(lines, [])
  t.equal(rowsRead(system), await fresh(system))
})

t.test('tries to catch up that fail leave nothing behind', async t => {
  const system = await givenSystem()
  const repair = breakOnce(system)
  await Promise.all([system.create({}), system.create({}), system.create({}, { key: 'k' })])
  await system.world.advance(10_000)
  t.notOk(system.queries.isCurrent(), 'they cannot be written yet')
  repair()
  await system.world.advance(2000)
  t.ok(system.queries.isCurrent())
  t.equal(rowsRead(system), await fresh(system))
})

t.test('tables that do not fit the log are made anew while the server runs', async t => {
  const lines: string[] = []
  const system = await givenSystem({ report: (level, message) => void lines.push(`${level} ${message}`) })
  const taskId = await system.create({})
  await quiet(system)
  system.projector.flush()
  system.readStore().exec('DELETE FROM tasks')
  await system.runtime.ask(`task-${taskId}`, { type: 'DeleteTask', principal: 'admin', causation: 'req' })
  t.throws(() => system.queries.list(wish), refused('ReadModelsBehind'))
  await system.world.advance(2000)
  t.match(lines, [/^warn .* they are rebuilt/, /^warn .* caught up/])
  t.equal(rowsRead(system), await fresh(system))
})

t.test('tables that can never be filled are made anew once, not again and again', async t => {
  const system = await givenSystem()
  await system.create({})
  const store = openReadStore(':memory:')
  const mark = () => {
    store.exec('INSERT INTO steps (position, task) VALUES (1, 1)')
    store.commit() // the projector takes back what is not committed when it begins again
  }
  const marks = () => store.prepare('SELECT count(*) FROM steps').pluck().get()
  const broken: Projection = {
    fold() {
      throw new TypeError('no event of this log can be taken in')
    },
    write() {},
    forget() {},
  }
  const projector = createProjector(
    store,
    system.log,
    () => [broken],
    system.world.timers,
    () => {},
  )
  mark()
  for (const left of [1, 0]) {
    await t.rejects(projector.catchUp(), TypeError)
    t.equal(marks(), left)
  }
  mark()
  await t.rejects(projector.catchUp(), TypeError)
  t.equal(marks(), 1, 'what was made anew stays')
  t.notOk(projector.isCurrent())
  t.notOk(projector.isCurrentFor('task-x'), 'and is not believed')
})

t.test('a deleted task is in no list, and its id is still a cursor', async t => {
  const system = await givenSystem()
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.push(await system.create({}))
  await quiet(system)
  await system.commands.remove(admin, ids[1] ?? '', 'req')
  const list = async (more: object) => {
    const page = await system.queries.list({ ...wish, ...more })
    return 'tasks' in page ? page.tasks.map(task => task.id) : page
  }
  t.same(await list({}), [ids[2], ids[0]])
  t.same(await list({ startingAfter: ids[1] }), [ids[0]])
  t.same(await list({ endingBefore: ids[1] }), [ids[2]])
  t.same(await list({ startingAfter: 'unknown' }), { unknownCursor: 'unknown' })
})
