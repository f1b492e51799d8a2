// What was committed waits for NATS, is told as the log has it, and never waits long.
import assert from 'node:assert/strict'
import t from 'tap'
import type { NatsMessage } from '../../src/bus/nats/client.ts'
import { createNatsFeed } from '../../src/bus/nats/nats-feed.ts'
import { bodyOf, type Published } from '../../src/bus/published.ts'
import { randomOf, settle, testWorld } from '../support/world.ts'

const toldAt = (position: number): Published => ({
  position,
  owner: 'anna',
  event: {
    type: 'TaskDeleted',
    timestamp: '2026-01-01T00:00:00.000Z',
    task_id: `t${position}`,
    session_id: 's',
  },
})
const message = (
  position: number | undefined,
  prev: number,
  body = bodyOf(toldAt(position ?? 0)),
): NatsMessage => ({
  header: name =>
    name === 'Nats-Msg-Id' && position !== undefined
      ? String(position)
      : name === 'Reprise-Prev'
        ? String(prev)
        : undefined,
  body: () => body,
})

const given = () => {
  const world = testWorld()
  const got: number[] = []
  const calls: { positions: number[]; upTo: number }[] = []
  const feed = createNatsFeed((upTo, told) => {
    const positions = told.map(({ position }) => position)
    got.push(...positions)
    calls.push({ positions, upTo })
  }, world.timers)
  let head = 0
  return {
    ...feed,
    world,
    got,
    calls,
    /** Public events at the next positions. */
    commit(count = 1, others = 0): number[] {
      const positions = Array.from({ length: count }, (_, n) => head + n + 1)
      head += count + others
      feed.commit(positions.map(toldAt), head)
      return positions
    },
    hear: (position: number, prev = position - 1, body?: string) => feed.hear(message(position, prev, body)),
    hearForeign: (...args: Parameters<typeof message>) => feed.hear(message(...args)),
  }
}

/** A feed that NATS carries. */
const carried = () => {
  const feed = given()
  feed.commit()
  feed.hear(1)
  feed.calls.length = 0
  return feed
}

t.test('before NATS has shown that it carries, everything is told at once', async t => {
  const { commit, calls, counts } = given()
  commit(2)
  commit(0, 3)
  commit(1, 1)
  t.same(calls, [
    { positions: [1, 2], upTo: 2 },
    { positions: [], upTo: 5 },
    { positions: [6], upTo: 7 },
  ])
  t.same(counts, { nats: 0, log: 3, foreign: 0 })
})

t.test(
  'then what is committed waits until it comes back, and what comes together is told together',
  async t => {
    const { commit, hear, calls, counts } = carried()
    commit(3, 2)
    commit(0, 1)
    commit(1)
    await settle()
    t.same(calls, [])
    hear(2)
    hear(3)
    t.same(calls, [], 'not before the end of the turn')
    await settle()
    t.same(calls, [{ positions: [2, 3], upTo: 3 }])
    hear(4)
    await settle()
    t.same(calls.at(-1), { positions: [4], upTo: 7 }, 'and what is nothing to followers with it')
    hear(8, 4)
    await settle()
    commit(0, 2)
    t.same(calls.slice(-2), [
      { positions: [8], upTo: 8 },
      { positions: [], upTo: 10 },
    ])
    t.same(counts, { nats: 4, log: 1, foreign: 0 })
  },
)

for (const { name, act } of [
  { name: 'a message that is missing', act: (feed: ReturnType<typeof given>) => feed.hear(3) },
  {
    name: 'a message that names another before it',
    act: (feed: ReturnType<typeof given>) => feed.hear(2, 0),
  },
  { name: 'NATS that is away', act: (feed: ReturnType<typeof given>) => feed.goBackToTheLog() },
  { name: 'silence', act: (feed: ReturnType<typeof given>) => feed.world.advance(500) },
  { name: 'too much that waits', act: (feed: ReturnType<typeof given>) => feed.commit(4096) },
]) {
  t.test(`${name}: what waits is told from the log at once, until NATS carries again`, async t => {
    const feed = carried()
    feed.commit(3)
    await act(feed)
    t.same(feed.got.slice(0, 4), [1, 2, 3, 4])
    const [next = 0] = feed.commit()
    t.equal(feed.got.at(-1), next, 'what follows does not wait')
    feed.hear(3)
    feed.hear(4)
    await settle()
    t.equal(feed.counts.nats, 0)
    feed.hear(next)
    feed.commit()
    t.equal(feed.got.at(-1), next, 'now it waits again')
    feed.hear(next + 1)
    await settle()
    t.equal(feed.got.at(-1), next + 1)
    t.same(
      feed.got,
      Array.from({ length: next + 1 }, (_, n) => n + 1),
      'everything once, in order',
    )
    t.equal(feed.counts.foreign, 0)
  })
}

t.test('what came in time is told by NATS, and only the rest from the log', async t => {
  const feed = carried()
  feed.commit(5)
  feed.hear(2)
  feed.hear(3)
  feed.goBackToTheLog()
  await settle()
  t.same(
    feed.calls.flatMap(({ positions }) => positions),
    [2, 3, 4, 5, 6],
  )
  t.same(feed.counts, { nats: 2, log: 4, foreign: 0 })
})

t.test('nobody waits for half a second as long as something comes', async t => {
  const feed = carried()
  for (let n = 0; n < 20; n++) {
    const [position = 0] = feed.commit()
    await feed.world.advance(100)
    feed.hear(position)
  }
  await settle()
  t.equal(feed.counts.nats, 20)
})

t.test('a foreign message is told to nobody', async t => {
  const feed = carried()
  feed.commit(2)
  feed.hear(2, 1, '{"type":"TaskDeleted","task_id":"not so"}')
  feed.hearForeign(undefined, 1)
  feed.hear(99)
  feed.hearForeign(3, 2, bodyOf(toldAt(2)))
  t.equal(feed.counts.foreign, 4)
  feed.hear(1)
  feed.hear(2)
  feed.hear(2)
  feed.hear(3)
  await settle()
  t.same(feed.got, [1, 2, 3])
  t.equal(feed.counts.foreign, 4, 'what comes twice is not foreign')
  // Nor does one show that NATS carries.
  feed.goBackToTheLog()
  const [next = 0] = feed.commit()
  feed.hear(next, next - 1, '{}')
  feed.commit()
  t.same(feed.got, [1, 2, 3, 4, 5])
})

t.test('whatever is lost, doubled, reordered or forged: everything once, in order, and soon', async t => {
  const first = Number(process.env.SEED ?? 1)
  let throughNats = 0
  for (let seed = first; seed < first + 150; seed++) {
    const random = randomOf(seed)
    const upTo = (n: number) => Math.floor(random() * n)
    const feed = given()
    const way: number[] = []
    let prevOf = new Map<number, number>()
    let last = 0
    const trouble = random() * 0.3
    for (let n = 0; n < 200; n++) {
      const sort = upTo(10)
      if (sort < 4) {
        for (const position of feed.commit(upTo(4), upTo(3))) {
          way.push(position)
          prevOf = prevOf.set(position, last)
          last = position
        }
      } else if (sort < 8) {
        for (const position of way.splice(0, upTo(5))) {
          if (random() < trouble) continue
          const copies = random() < trouble ? 2 : 1
          for (let c = 0; c < copies; c++) feed.hear(position, prevOf.get(position))
        }
      } else if (random() < trouble) {
        const forged = [
          () => feed.hear(last, 0, '{}'),
          () => feed.hear(last + upTo(5)),
          () => way.reverse(),
          () => feed.goBackToTheLog(),
        ]
        forged[upTo(4)]?.()
      } else await settle(1)
      if (random() < 0.05) await feed.world.advance(upTo(300))
    }
    await feed.world.advance(500)
    assert.deepEqual(feed.got, [...prevOf.keys()], `SEED=${seed}`)
    throughNats += feed.counts.nats
  }
  t.ok(throughNats > 1000, `${throughNats} by NATS`)
})
