// Whose work begins next when the event loop is short of time.
import t from 'tap'
import { createLoopShares } from '../../src/fairness/loop-shares.ts'
import { testWorld } from '../support/world.ts'

/** A loop that works for this part of its time, and what has begun of whose work. */
const createLoop = (seed = 1) => {
  const world = testWorld(seed)
  const began: Record<string, number> = {}
  let part = 0
  let busy = 0
  const started = world.clock.now()
  const loop = createLoopShares(world.timers, {
    now: () => world.clock.now() - started,
    busy: () => busy,
  })
  return {
    began,
    loop,
    worksFor: (given: number) => {
      part = given
    },
    /** Time passes, of which the loop works its part. */
    async pass(ms: number) {
      for (let gone = 0; gone < ms; gone += 10) {
        busy += 10 * part
        await world.advance(10)
      }
    },
    want(user: string, times = 1, pieces = 1) {
      for (let n = 0; n < times; n++) {
        const count = () => {
          began[user] = (began[user] ?? 0) + 1
        }
        const waits = loop.enter(user, pieces)
        if (waits === undefined) count()
        else void waits.then(count)
      }
    },
  }
}

t.test('a user alone never waits, however busy the loop is', async t => {
  const { want, began, worksFor, pass } = createLoop()
  worksFor(1)
  for (let n = 0; n < 50; n++) {
    want('alice', 20)
    await pass(10)
  }
  t.same(began, { alice: 1000 })
})

t.test('nobody waits while the loop has time', async t => {
  const { want, began, worksFor, pass } = createLoop()
  worksFor(0.2)
  for (let n = 0; n < 20; n++) {
    want('alice', 100)
    want('bob')
    await pass(10)
  }
  t.same(began, { alice: 2000, bob: 20 })
})

t.test('who wants far more than the others waits while the loop has none, and they do not', async t => {
  const { want, began, worksFor, pass } = createLoop()
  worksFor(1)
  for (let n = 0; n < 100; n++) {
    if (n < 20) want('alice', 100)
    if (n % 2 === 0) want('bob')
    await pass(10)
  }
  t.equal(began.bob, 50)
  t.ok((began.alice ?? 0) < 800, `${began.alice} of 2000`)
  const before = began.alice ?? 0
  worksFor(0.1)
  await pass(5000)
  t.equal(began.alice, 2000, 'all of it begins when the loop has time again')
  t.ok(before < 2000)
})

t.test('users who want the same do not wait for each other', async t => {
  const { want, began, worksFor, pass } = createLoop()
  worksFor(1)
  for (let n = 0; n < 50; n++) {
    want('alice', 10)
    want('bob', 10)
    await pass(10)
  }
  t.same(began, { alice: 500, bob: 500 })
})

t.test('a long body counts as many requests', async t => {
  const { want, began, worksFor, pass } = createLoop()
  worksFor(1)
  want('bob')
  await pass(200)
  for (let n = 0; n < 20; n++) {
    want('alice', 1, 100)
    want('bob')
    await pass(10)
  }
  t.equal(began.bob, 21)
  t.ok((began.alice ?? 0) < 5, `${began.alice} of 20`)
})

t.test('what has waited begins in the order in which it came, also for one who wants little', async t => {
  const { loop, worksFor, pass, want } = createLoop()
  worksFor(1)
  want('bob', 5)
  want('alice', 500)
  await pass(100)
  const order: number[] = []
  for (let n = 0; n < 5; n++) void loop.enter('alice')?.then(() => order.push(n))
  t.same(order, [])
  await pass(300)
  t.same(order, [0], 'a little of it begins even so')
  worksFor(0)
  await pass(2000)
  t.same(order, [0, 1, 2, 3, 4])
})
