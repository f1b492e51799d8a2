// Whose work begins next when the event loop is short of time.
import t from 'tap'
import { createLoopShares } from '../../src/fairness/loop-shares.ts'
import { testWorld } from '../support/world.ts'

/**
 * A loop that works for a part of its time, and for `cost` milliseconds more for each piece of work that began. `began`
 * counts the works of each user that began.
 */
const createLoop = ({ cost = 0, seed = 1 } = {}) => {
  const world = testWorld(seed)
  const began: Record<string, number> = {}
  let part = 0
  let busy = 0
  /** The time that the work that began will take, in milliseconds. */
  let left = 0
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
    /** Time passes, of which the loop works its part. `each` is called every 10 ms. */
    async pass(ms: number, each = (_n: number) => {}) {
      for (let n = 0; n < ms / 10; n++) {
        each(n)
        const done = Math.min(10 * (1 - part), left)
        left -= done
        busy += 10 * part + done
        await world.advance(10)
      }
    },
    want(user: string, times = 1, pieces = 1) {
      for (let n = 0; n < times; n++) {
        const count = () => {
          began[user] = (began[user] ?? 0) + 1
          left += pieces * cost
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
  await pass(500, () => want('alice', 20))
  t.same(began, { alice: 1000 })
})

t.test('nobody waits while the loop has time', async t => {
  const { want, began, worksFor, pass } = createLoop()
  worksFor(0.1)
  await pass(1000, n => {
    want('alice', 2)
    if (n % 5 === 0) want('bob')
  })
  t.same(began, { alice: 200, bob: 20 })
})

t.test('who wants far more than the others waits while the loop has none, and they do not', async t => {
  const { want, began, worksFor, pass } = createLoop()
  worksFor(1)
  await pass(1000, n => {
    if (n < 20) want('alice', 100)
    if (n % 2 === 0) want('bob')
  })
  t.equal(began.bob, 50)
  t.ok((began.alice ?? 0) < 200, `${began.alice} of 2000`)
  worksFor(0.05)
  await pass(30_000, n => void (n % 50 === 0 && want('bob')))
  t.equal(began.alice, 2000, 'all of it begins when the loop has time again')
})

t.test('users who want the same do not wait for each other', async t => {
  const { want, began, worksFor, pass } = createLoop()
  worksFor(1)
  await pass(500, () => {
    want('alice', 10)
    want('bob', 10)
  })
  t.same(began, { alice: 500, bob: 500 })
})

t.test('a user who wants much keeps the loop busy for its part, whatever a piece costs', async t => {
  for (const cost of [0.1, 0.3, 1, 4]) {
    const { want, began, pass } = createLoop({ cost })
    want('bob')
    want('alice', 20_000)
    const work = (n: number) => void (n % 10 === 0 && want('bob'))
    await pass(2000, work)
    const before = began.alice ?? 0
    await pass(5000, work)
    const part = (((began.alice ?? 0) - before + 50) * cost) / 5000
    t.ok(part > 0.13 && part < 0.17, `${(part * 100).toFixed(1)} % of the loop at ${cost} ms for a piece`)
    t.equal(began.bob, 71)
  }
})

t.test('two users who want much begin as much as each other', async t => {
  const { want, began, pass } = createLoop({ cost: 0.5 })
  want('bob')
  for (let n = 0; n < 5000; n++) for (const user of ['alice', 'carol']) want(user)
  await pass(2000, n => void (n % 5 === 0 && want('bob')))
  const { alice = 0, carol = 0 } = began
  t.ok(alice > 200 && alice < 400 && Math.abs(alice - carol) < 30, `${alice} and ${carol}`)
})

t.test('a user who wants much begins no less than the others, however busy the loop is', async t => {
  const { want, began, worksFor, pass } = createLoop()
  worksFor(1)
  want('bob')
  want('alice', 5000)
  await pass(5000, n => void (n % 2 === 0 && want('bob')))
  t.equal(began.bob, 251)
  t.ok((began.alice ?? 0) > 200 && (began.alice ?? 0) < 400, `${began.alice} while 250 of another began`)
})

t.test('a long body counts as many requests', async t => {
  const { want, began, worksFor, pass } = createLoop()
  worksFor(1)
  want('bob')
  await pass(200)
  await pass(200, () => {
    want('alice', 1, 100)
    want('bob')
  })
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
  await pass(250)
  t.same(order, [], 'nothing of it begins before what came earlier')
  worksFor(0)
  await pass(20_000, n => void (n % 50 === 0 && want('bob')))
  t.same(order, [0, 1, 2, 3, 4])
})
