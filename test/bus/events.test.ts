// Public events for many subscribers: past, then live, without a gap or a repeat, whatever happens in between.
import assert from 'node:assert/strict'
import t from 'tap'
import type { EventFilter } from '../../src/bus/event-filter.ts'
import { createEvents, type Subscription } from '../../src/bus/events.ts'
import type { Published } from '../../src/bus/published.ts'
import { DamagedEvent, type Recorded } from '../../src/contract/stored.ts'
import { wholeLoop } from '../../src/fairness/loop-shares.ts'
import { publicEventOf } from '../../src/history/public-events.ts'
import { failingStore, givenSystem, quiet } from '../support/system.ts'
import { randomOf, settle } from '../support/world.ts'

const factsInTurn: [type: string, data: object][] = [
  ['TaskDeleted', { by: 'x' }],
  ['AgentSpawned', { agent_id: 'a', workdir: '/w' }],
  ['ItemDelta', {}], // nothing to subscribers
  ['TaskStarted', { from: 'created', context: [] }],
]
/** A stored event of some user, session and task, chosen by its position; every fourth is nothing to subscribers. */
const storedAt = (position: number): Recorded => {
  const [type, data] = factsInTurn[position % 4] as [string, object]
  const stream = position % 11 === 0 ? `principal-${position}` : `task-t${position % 5}`
  const header = {
    stream,
    revision: position,
    type,
    schema_version: 1,
    time: '2026-01-01T00:00:00.000Z',
    principal: 'admin',
    owner: ['anna', 'bob', 'carl'][position % 3] as string,
    session_id: `s${position % 2}`,
    correlation_id: 'c',
    causation_id: 'r',
    build: 'test',
    seq: position,
    frames: 1,
  }
  return { position, header, data }
}

/** A log whose head moves when told, and which is read in pages of some size, slowly. */
const givenLog = (pageSize: () => number = () => 1000, eventAt = storedAt) => {
  const stored: Recorded[] = []
  const state = { reads: 0, reading: 0, damagedAt: Number.POSITIVE_INFINITY }
  const log = {
    state,
    head: () => stored.length,
    /** More events, stored and not yet told of. */
    append(count: number): Recorded[] {
      const more = Array.from({ length: count }, (_, n) => eventAt(stored.length + n + 1))
      stored.push(...more)
      return more
    },
    async *readAll(after = 0) {
      state.reads++
      state.reading++
      try {
        for (let from = after; from < stored.length; ) {
          await settle(1)
          const page = stored.slice(from, from + pageSize())
          from += page.length
          if (from >= state.damagedAt) throw new DamagedEvent(state.damagedAt, 'is broken')
          yield page
        }
      } finally {
        state.reading--
      }
    },
    async *readSession(session: string, after = 0) {
      for await (const page of log.readAll(after))
        yield page.filter(({ header }) => header.session_id === session)
    },
  }
  return log
}

/** What a subscriber must have got, told without any code of the bus. */
const expectedOf = (from: number, to: number, filter: EventFilter): number[] => {
  const positions: number[] = []
  for (let position = from + 1; position <= to; position++) {
    const recorded = storedAt(position)
    const event = publicEventOf(recorded)
    if (event === undefined) continue
    if (filter.owner !== undefined && recorded.header.owner !== filter.owner) continue
    if (filter.types !== undefined && !filter.types.has(event.type)) continue
    if (filter.sessionId !== undefined && event.session_id !== filter.sessionId) continue
    if (filter.taskId !== undefined && event.task_id !== filter.taskId) continue
    positions.push(position)
  }
  return positions
}

type Events = ReturnType<typeof createEvents>
/** A subscriber that writes down what it gets and complains of what must not be. */
const follower = (
  events: Events,
  after: number,
  filter: EventFilter = {},
  { says = () => true, onTake = () => {} }: { says?: () => boolean; onTake?: () => void } = {},
) => {
  const got: Published[] = []
  const faults: unknown[] = []
  const complaints: string[] = []
  let isFull = false
  let isClosed = false
  const subscription = events.subscribe(
    after,
    filter,
    list => {
      if (isFull) complaints.push('given more after it had enough')
      if (isClosed) complaints.push('given more after it was closed')
      if (faults.length > 0) complaints.push('given more after a fault')
      if (list.length === 0) complaints.push('given nothing')
      if (list.length > 128) complaints.push(`given ${list.length} at once`)
      got.push(...list)
      isFull = !says()
      onTake()
      return !isFull
    },
    error => faults.push(error),
  )
  return {
    got,
    faults,
    complaints,
    filter,
    after,
    positions: () => got.map(({ position }) => position),
    isFull: () => isFull,
    isClosed: () => isClosed,
    resume() {
      isFull = false
      subscription.resume()
    },
    close() {
      isClosed = true
      subscription.close()
    },
  }
}
type Follower = ReturnType<typeof follower>

const fail = (error: unknown) => t.fail(String(error))

const someFilter = (random: () => number): EventFilter => {
  const maybe = <T>(value: T): T | undefined => (random() < 0.4 ? value : undefined)
  const pick = (...choices: string[]) => choices[Math.floor(random() * choices.length)] as string
  return {
    owner: maybe(pick('anna', 'bob', 'carl', 'nobody')),
    types: maybe(new Set([pick('TaskDeleted', 'AgentSpawned', 'CronJobFailed'), 'TaskStatusChanged'])),
    sessionId: maybe(pick('s0', 's1', 's9')),
    taskId: maybe(pick('t0', 't1', 't2', 't9')),
  }
}

/** One seed: appends, tellings, subscribers that come, have enough, go on and go away, in any order. */
const play = async (seed: number) => {
  const random = randomOf(seed)
  const upTo = (n: number) => Math.floor(random() * n)
  const isBig = random() < 0.15
  const log = givenLog(() => 1 + upTo(isBig ? 1000 : 12))
  log.append(upTo(40))
  const events = createEvents(log, wholeLoop, seed % 2 === 0 ? 1 : undefined)
  const untold: Recorded[][] = []
  const all: Follower[] = []
  const open = () => all.filter(each => !each.isClosed())
  const some = (): Follower | undefined => open()[upTo(open().length)]
  const enough = random() * 0.7
  const checkPosition = () => {
    const before = events.position()
    return () => assert.ok(events.position() >= before, 'the position does not go back')
  }
  const tellAll = () => {
    for (const batch of untold.splice(0)) events.publish(batch)
  }
  const ops: (() => unknown)[] = [
    () => untold.push(log.append(1 + upTo(isBig ? 3000 : 6))),
    () => untold.length > 0 && events.publish(untold.shift() as Recorded[]),
    () => {
      const near = Math.max(0, events.position() - upTo(20))
      const after = [events.position(), near, 0, upTo(log.head() + 1)][upTo(4)] as number
      const says = () => random() >= enough
      // Now and then somebody goes away in the middle of what is told.
      const onTake = () => void (random() < 0.03 && some()?.close())
      all.push(follower(events, Math.min(after, events.position()), someFilter(random), { says, onTake }))
    },
    () => some()?.resume(),
    () => some()?.resume(),
    () => random() < 0.3 && some()?.close(),
    () => settle(upTo(4)),
  ]
  for (let n = 0; n < 120; n++) {
    const check = checkPosition()
    await ops[upTo(ops.length)]?.()
    check()
  }
  tellAll()
  // Until nobody reads and nobody has enough.
  const got = () => all.reduce((sum, each) => sum + each.got.length, 0)
  for (let still = 0; still < 10; ) {
    for (const each of open()) if (each.isFull()) each.resume()
    const before = got()
    await settle(4)
    const isStill = got() === before && log.state.reading === 0 && !open().some(each => each.isFull())
    still = isStill ? still + 1 : 0
  }
  for (const each of all) {
    assert.deepEqual(each.complaints, [])
    assert.deepEqual(each.faults, [])
    const expected = expectedOf(each.after, log.head(), each.filter)
    const positions = each.positions()
    const so = each.isClosed() ? expected.slice(0, positions.length) : expected
    assert.deepEqual(positions, so, `after ${each.after}, ${JSON.stringify(each.filter)}`)
    for (const { position, owner, event } of each.got) {
      const recorded = storedAt(position)
      assert.deepEqual(event, publicEventOf(recorded))
      assert.equal(owner, recorded.header.owner)
    }
  }
  return { followers: all.length, told: got() }
}

t.test('in whatever order things happen, everybody gets what is theirs, once, in order', async t => {
  const first = Number(process.env.SEED ?? 1)
  let told = 0
  for (let seed = first; seed < first + 120; seed++) {
    try {
      told += (await play(seed)).told
    } catch (error) {
      t.fail(`SEED=${seed}: ${(error as Error).stack}`)
      break
    }
  }
  t.ok(told > 20_000, `${told} events were told`)
})

t.test('what happens between the call and the first event is not lost', async t => {
  const log = givenLog()
  log.append(8)
  const events = createEvents(log, wholeLoop)
  const live = follower(events, events.position())
  const past = follower(events, 0)
  events.publish(log.append(8))
  t.same([...live.got, ...past.got], [], 'nobody is called before its subscription is in hand')
  await settle()
  events.publish(log.append(1))
  t.same(live.positions(), expectedOf(8, 17, {}))
  t.same(past.positions(), expectedOf(0, 17, {}))
})

t.test('long events are handed over one or two at a time, so that a slow reader holds little', async t => {
  const log = givenLog()
  const events = createEvents(log, wholeLoop)
  const sizes: number[] = []
  const take = (list: readonly Published[]) => sizes.push(JSON.stringify(list).length) > 0
  events.subscribe(0, {}, take, fail)
  await settle()
  const long = log.append(40).map(({ position, header }) => ({
    position,
    header: { ...header, stream: 'task-t1', type: 'AgentError' },
    data: { agent_id: 'a', error: 'no '.repeat(10_000) },
  }))
  events.publish(long)
  t.ok(sizes.length >= 15, `${sizes.length} pieces`)
  t.ok(Math.max(...sizes) < 100_000, 'of less than 100 KB')
})

t.test('live subscribers of one filter share one list, so that it is encoded once', async t => {
  const log = givenLog()
  const events = createEvents(log, wholeLoop)
  const lists: (readonly Published[])[][] = []
  for (const filter of [{}, {}, { owner: 'anna' }, { owner: 'anna' }]) {
    const seen: (readonly Published[])[] = []
    lists.push(seen)
    events.subscribe(0, filter, list => seen.push(list) > 0, fail)
  }
  await settle()
  events.publish(log.append(100))
  const [a, b, c, d] = lists
  t.equal(a?.[0], b?.[0])
  t.equal(c?.[0], d?.[0])
  t.not(a?.[0], c?.[0])
})

t.test('who comes back soon is served from memory, who comes late from the log', async t => {
  const log = givenLog()
  log.append(20)
  const events = createEvents(log, wholeLoop)
  const early = follower(events, 20)
  await settle()
  for (let n = 0; n < 80; n++) events.publish(log.append(100))
  t.equal(log.state.reads, 0)
  const soon = follower(events, 7000)
  await settle()
  t.same(soon.positions(), expectedOf(7000, 8020, {}))
  t.equal(log.state.reads, 0, 'from memory')
  const late = follower(events, 3)
  await settle(30)
  t.same(late.positions(), expectedOf(3, 8020, {}))
  const read = log.state.reads
  t.ok(read > 0, 'from the log')

  // Far more than is kept.
  for (let n = 0; n < 200; n++) events.publish(log.append(100))
  const back = follower(events, 8020)
  await settle(60)
  t.ok(log.state.reads > read, 'what is no longer in memory is in the log')
  t.same(back.positions(), expectedOf(8020, 28_020, {}))
  t.same(early.positions(), expectedOf(20, 28_020, {}))
})

t.test('who had enough for long goes on from the log without a gap', async t => {
  const log = givenLog()
  const events = createEvents(log, wholeLoop)
  let full = true
  const slow = follower(events, 0, {}, { says: () => !full })
  await settle()
  events.publish(log.append(4))
  t.same(slow.positions(), expectedOf(0, 4, {}))
  for (let n = 0; n < 200; n++) events.publish(log.append(100))
  t.same(slow.positions(), expectedOf(0, 4, {}), 'nothing piles up for it')
  full = false
  slow.resume()
  await settle(60)
  t.same(slow.positions(), expectedOf(0, 20_004, {}))
  t.same(slow.complaints, [])
})

t.test('when nobody listens nothing is kept, and nothing is missed by who comes then', async t => {
  const log = givenLog()
  const events = createEvents(log, wholeLoop)
  const first = follower(events, 0)
  await settle()
  events.publish(log.append(5))
  first.close()
  events.publish(log.append(5))
  const second = follower(events, 5)
  const third = follower(events, events.position())
  events.publish(log.append(5))
  await settle()
  t.same(first.positions(), expectedOf(0, 5, {}))
  t.same(second.positions(), expectedOf(5, 15, {}))
  t.same(third.positions(), expectedOf(10, 15, {}))
  first.close()
  second.close()
  third.close()
  events.publish(log.append(5))
  t.equal(events.position(), 20)
})

t.test('who wants one session from the start reads its events, and no others', async t => {
  const log = givenLog()
  log.append(3000)
  let others = 0
  let own = 0
  const counted = {
    ...log,
    async *readAll(after = 0) {
      for await (const page of log.readAll(after)) {
        others += page.length
        yield page
      }
    },
    async *readSession(session: string, after = 0) {
      for await (const page of log.readSession(session, after)) {
        own += page.length
        yield page
      }
    },
  }
  const filter = { sessionId: 's1' }
  const reader = follower(createEvents(counted, wholeLoop), 0, filter)
  await settle(20)
  t.same(reader.positions(), expectedOf(0, 3000, filter))
  t.same([own, others], [1500, 0])
})

t.test('closing twice, resuming what is closed or not full, does nothing', async t => {
  const log = givenLog()
  const events = createEvents(log, wholeLoop)
  const one = follower(events, 0)
  const other = follower(events, 0)
  one.resume()
  await settle()
  one.resume()
  events.publish(log.append(5))
  one.close()
  one.close()
  one.resume()
  events.publish(log.append(5))
  other.close()
  await settle()
  t.same(one.positions(), expectedOf(0, 5, {}))
  t.same(other.positions(), expectedOf(0, 10, {}))
  const unborn = follower(events, 0)
  unborn.close()
  await settle()
  t.same(unborn.positions(), [])
  t.same([...one.complaints, ...other.complaints], [])
})

t.test('what cannot be read ends the reader with a fault, and nobody else', async t => {
  const log = givenLog(() => 10)
  log.append(35)
  const events = createEvents(log, wholeLoop)
  const live = follower(events, 35)
  log.state.damagedAt = 25
  const reader = follower(events, 0)
  await settle(40)
  t.match(reader.faults, [{ position: 25 }])
  t.equal(reader.faults.length, 1)
  t.same(reader.positions(), expectedOf(0, 20, {}), 'what stands before the damage was told')
  events.publish(log.append(5))
  await settle(40)
  t.same(live.positions(), expectedOf(35, 40, {}))
  t.same(live.faults, [])
  t.same(reader.complaints, [])
  reader.resume()
  reader.close()
  t.equal(reader.faults.length, 1)
})

t.test('a reader that was closed hears of no fault', async t => {
  const log = givenLog(() => 10)
  log.append(35)
  const events = createEvents(log, wholeLoop)
  log.state.damagedAt = 5
  const reader = follower(events, 0)
  reader.close()
  const second = follower(events, 0)
  await settle(0)
  second.close()
  await settle(40)
  t.same([...reader.faults, ...second.faults], [])
})

t.test('a log that ends before what was told of is a fault, not an endless search', async t => {
  const log = givenLog()
  log.append(10)
  const events = createEvents({ ...log, async *readAll() {} }, wholeLoop)
  const reader = follower(events, 3)
  await settle()
  t.match(reader.faults, [{ message: /nothing is stored after position 3/ }])
})

t.test(
  'after a failed write everybody is told what it had stored, as soon as the log is written again',
  async t => {
    const disk = failingStore()
    const system = await givenSystem({ store: disk.store })
    await system.create({ user_message_content: 'before' })
    await quiet(system)
    const all = follower(system.events, 0)
    const live = follower(system.events, system.events.position())
    const at = system.events.position()
    await settle()
    disk.failNext('kept')
    await system.create({ user_message_content: 'kept' }).catch(() => {})
    await quiet(system)
    t.same(live.positions(), [], 'nothing is told of a write that failed')
    await system.world.advance(2000)
    await quiet(system)
    await system.create({ user_message_content: 'after' })
    await quiet(system)

    const expected: number[] = []
    for (const recorded of await system.stored()) {
      if (publicEventOf(recorded) !== undefined) expected.push(recorded.position)
    }
    t.same(all.positions(), expected)
    t.same(
      live.positions(),
      expected.filter(position => position > at),
    )
    const titles = live.got.flatMap(({ event }) => (event.type === 'TaskCreated' ? [event.title] : []))
    t.same(titles, ['kept', 'after'])
    await system.close()
  },
)

t.test('a subscriber that is closed in the middle of a telling gets no more', async t => {
  const log = givenLog()
  const events = createEvents(log, wholeLoop)
  const subscriptions: Subscription[] = []
  const got: number[] = []
  for (const n of [0, 1, 2]) {
    const take = () => {
      got.push(n)
      for (const each of subscriptions) each.close()
      return true
    }
    subscriptions.push(events.subscribe(0, {}, take, fail))
  }
  await settle()
  events.publish(log.append(300))
  events.publish(log.append(300))
  t.same(got, [0], 'the first closes all, itself included')
})

t.test(
  'many who see all events are served in turns, and what comes meanwhile reaches them together',
  async t => {
    const log = givenLog()
    const events = createEvents(log, wholeLoop)
    const lists: number[][] = []
    const all = Array.from({ length: 300 }, (_, n) => {
      const own: number[] = []
      lists.push(own)
      return follower(events, 0, {}, { onTake: () => own.push(all[n]?.got.length ?? 0) })
    })
    await settle()
    const served = () => all.filter(({ got }) => got.length > 0).length
    events.publish(log.append(1))
    t.equal(served(), 128, 'not all in one turn')
    events.publish(log.append(2))
    t.equal(served(), 128)
    await settle(10)
    for (const each of all) {
      t.same(each.positions(), expectedOf(0, 3, {}))
      t.same(each.complaints, [])
    }
    t.same(lists[0], [1, 2], 'the first got the two one by one')
    t.same(lists.at(-1), [2], 'the last got both at once')
  },
)

t.test('many who have had no event for long are served from memory, since they have missed none', async t => {
  const ofBobAtFirst = (position: number): Recorded => {
    const recorded = storedAt(position)
    return position > 20_000 ? recorded : { ...recorded, header: { ...recorded.header, owner: 'bob' } }
  }
  const log = givenLog(undefined, ofBobAtFirst)
  const events = createEvents(log, wholeLoop)
  const filter = { owner: 'anna', types: new Set(['TaskDeleted']) }
  const all = Array.from({ length: 300 }, () => follower(events, 0, filter))
  await settle()
  for (let n = 0; n < 200; n++) events.publish(log.append(100))
  events.publish(log.append(24))
  await settle(10)
  const expected = expectedOf(20_000, 20_024, filter)
  t.ok(expected.length > 0)
  for (const each of all) t.same(each.positions(), expected)
  t.equal(log.state.reads, 0, 'nobody read the log')
})
