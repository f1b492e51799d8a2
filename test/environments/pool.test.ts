// Programs that are ready before anybody needs them: one a module, a few in all, never an old or a dead one.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { createPool } from '../../src/environments/pool.ts'
import { givenPrograms, isAlive, until } from './support.ts'

const given = async (t: Test, hasRoom = () => true) => {
  const { world, start, folder } = await givenPrograms(t)
  const started: string[] = []
  const pool = createPool({
    start(file) {
      started.push(file)
      return start(file)
    },
    timers: world.timers,
    hasRoom,
  })
  t.teardown(pool.close)
  const recorded = path.join(folder, 'children')
  return {
    world,
    pool,
    started,
    running: () => readdirSync(recorded),
    onlyRun: (number: number) => until(() => readdirSync(recorded).length === number),
  }
}
const counter = { file: 'good/counter.mjs', digest: 'a' }

t.test('whoever has said hello is taken, and a moment later another is ready', async t => {
  const { pool, started, world, onlyRun } = await given(t)
  const { classes } = await pool.hello(counter)
  t.same(classes.map(({ name }) => name).sort(), ['Counter', 'Half', 'Plain'])
  await pool.hello(counter)
  const taken = await pool.take(counter)
  t.equal(started.length, 1)
  await world.advance(200)
  t.equal(started.length, 2)
  await onlyRun(2)
  const next = await pool.take(counter)
  t.equal(started.length, 2)
  t.not(next, taken)
  await taken.end()
  await next.end()
  await onlyRun(0)
})

t.test('two who come at the same time get one each', async t => {
  const { pool, started } = await given(t)
  await pool.hello(counter)
  const [one, two] = await Promise.all([pool.take(counter), pool.take(counter)])
  t.equal(started.length, 2)
  t.not(one, two)
  await Promise.all([one.end(), two.end()])
})

t.test('one of a module that has changed is ended, and not given', async t => {
  const { pool, started, onlyRun } = await given(t)
  await pool.hello(counter)
  const taken = await pool.take({ ...counter, digest: 'b' })
  t.equal(started.length, 2)
  await onlyRun(1)
  await taken.end()
  await onlyRun(0)
})

t.test('one that has ended meanwhile is not given', async t => {
  const { pool, started, running, onlyRun } = await given(t)
  await pool.hello(counter)
  const [pid = ''] = running()
  process.kill(Number(pid), 'SIGKILL')
  await onlyRun(0)
  const taken = await pool.take(counter)
  t.equal(started.length, 2)
  t.notOk(taken.isGone())
  await taken.end()
})

t.test('four are kept: the fifth ends the one that waits longest', async t => {
  const { pool, running, onlyRun } = await given(t)
  await pool.hello(counter)
  const [first = ''] = running()
  for (const file of ['witness', 'spin', 'hang', 'later']) {
    await pool.hello({ file: `hostile/${file}.mjs`, digest: 'a' })
  }
  await onlyRun(4)
  t.notOk(isAlive(first))
})

t.test('with little memory none is kept, and all goes on', async t => {
  const { pool, world, started, onlyRun } = await given(t, () => false)
  await pool.hello(counter)
  await onlyRun(0)
  const taken = await pool.take(counter)
  await world.advance(1000)
  t.equal(started.length, 2)
  await taken.end()
})

t.test('one that nobody needs for ten minutes goes', async t => {
  const { pool, world, onlyRun } = await given(t)
  await pool.hello(counter)
  await world.advance(599_000)
  await onlyRun(1)
  await world.advance(1000)
  await onlyRun(0)
})

t.test('a module that cannot be loaded is an error each time, and none is kept', async t => {
  const { pool, onlyRun } = await given(t)
  const broken = { file: 'hostile/broken.mjs', digest: 'a' }
  await t.rejects(pool.hello(broken), { message: /nowhere\.mjs/ })
  await t.rejects(pool.take(broken), { message: /nowhere\.mjs/ })
  await onlyRun(0)
})

t.test('a closed pool lets all go, and keeps no more', async t => {
  const { pool, world, started, onlyRun } = await given(t)
  await pool.hello(counter)
  const taken = await pool.take(counter)
  pool.close()
  await world.advance(200)
  t.equal(started.length, 1)
  await taken.end()
  await onlyRun(0)
})
