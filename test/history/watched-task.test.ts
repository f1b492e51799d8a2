// Many who follow one task: its events are read and made into frames once for all of them, nobody waits for the
// slowest, and what is kept for them has an end.
import t from 'tap'
import { createFeeds } from '../../src/bus/feed.ts'
import { batchOf, createFrameWindow, type Entry, framed, sharedBatchOf } from '../../src/bus/frame-entries.ts'
import type { Agent } from '../../src/contract/agent.ts'
import { createRenderer } from '../../src/history/frame-renderer.ts'
import type { Frame } from '../../src/history/frames.ts'
import { deferred } from '../log/support.ts'
import { givenSystem, quiet, type TestSystem } from '../support/system.ts'
import { randomOf, settle } from '../support/world.ts'
import { framesOf } from './told.ts'

const many = 100
/** Says these texts once it may. */
const talker = (texts: string[], may: Promise<void> = Promise.resolve()): Agent => ({
  name: 'talker',
  async *step() {
    await may
    for (const text of texts) {
      yield { say: 'delta', item: 'message', part: 'output_text', text: text.padEnd(2100, '.') }
      await settle(1)
    }
    return { end: 'answer' }
  },
})
const lines = (frames: readonly Frame[]) => frames.map(frame => JSON.stringify(frame))

/** The feeds of a system, and how many subscriptions and tellings they cost. */
const counted = async (agents: Agent[]) => {
  const system = await givenSystem({ agents })
  const cost = { subscriptions: 0, open: 0, told: 0 }
  const feeds = createFeeds({
    log: {
      ...system.log,
      subscribe(request, handle) {
        cost.subscriptions++
        cost.open++
        const subscription = system.log.subscribe(request, handle)
        const over = () => void cost.open--
        subscription.done.then(over, over)
        return subscription
      },
    },
    async rendererAt() {
      const renderer = createRenderer(system.log.readStream)
      return {
        ...renderer,
        render(event) {
          cost.told++
          return renderer.render(event)
        },
      }
    },
  })
  return { system, cost, feeds }
}

t.test('a task that talks is read, folded and made into frames once for all who follow it', async t => {
  const { promise: may, resolve: go } = deferred()
  const { system, cost, feeds } = await counted([
    talker(
      Array.from({ length: 40 }, (_, n) => `${n}`),
      may,
    ),
  ])
  const taskId = await system.create({ client_id: 'talker' })
  const lists = new Set<readonly Frame[]>()
  const follow = async () => {
    const seen: Frame[] = []
    for await (const frames of feeds
      .open({ stream: `task-${taskId}`, after: -1, endsAtWait: false })
      .frames()) {
      lists.add(frames)
      seen.push(...frames)
    }
    return seen
  }
  const first = follow()
  await settle()
  const following = Promise.all([first, ...Array.from({ length: many - 1 }, follow)])
  await settle()
  go()
  await quiet(system)
  const whole = await framesOf(system, taskId)
  for (const seen of await following) t.same(lines(seen), lines(whole))
  const events = system.log.revisionOf(`task-${taskId}`) + 1
  t.ok(cost.told <= events, `${cost.told} tellings of ${events} events`)
  t.ok(cost.subscriptions === 1, 'one for all')
  t.ok(lists.size <= whole.length + 2, 'they are handed the same lists')
  await settle()
  t.equal(cost.open, 0, 'and nothing is left when they have gone')
  await system.close()
})

t.test('one that takes nothing holds nobody back, and reads the log when it goes on', async t => {
  const { promise: may, resolve: go } = deferred()
  const { system, cost, feeds } = await counted([
    talker(
      Array.from({ length: 400 }, (_, n) => `${n}`),
      may,
    ),
  ])
  const taskId = await system.create({ client_id: 'talker' })
  const request = { stream: `task-${taskId}`, after: -1, endsAtWait: false }
  const { promise: held, resolve: release } = deferred()
  const follow = async (pause: () => Promise<unknown>) => {
    const seen: Frame[] = []
    for await (const frames of feeds.open(request).frames()) {
      seen.push(...frames)
      await pause()
    }
    return seen
  }
  const quick = follow(async () => {})
  const random = randomOf(3)
  const slow = Array.from({ length: 5 }, () => follow(() => settle(Math.floor(random() * 20))))
  const stuck = follow(() => held)
  await settle()
  go()
  const whole = lines(await quick)
  t.match(whole.at(-1), /task\.completed/)
  release()
  t.same(lines(await stuck), whole)
  for (const seen of await Promise.all(slow)) t.same(lines(seen), whole)
  await settle()
  t.equal(cost.open, 0)
  await system.close()
})

t.test('a watched task whose last reader goes away is read no more, and again for the next one', async t => {
  const { system, cost, feeds } = await counted([])
  const taskId = await system.play([
    { sleep_ms: 1000 },
    { message: 'a' },
    { sleep_ms: 1000 },
    { message: 'b' },
  ])
  const request = { stream: `task-${taskId}`, after: -1, endsAtWait: false }
  const open = () => {
    const feed = feeds.open(request)
    const seen: Frame[] = []
    const over = (async () => {
      for await (const frames of feed.frames()) seen.push(...frames)
    })()
    return { feed, seen, over }
  }
  const [one, other] = [open(), open()]
  await quiet(system)
  one.feed.close()
  await one.over
  await system.world.advance(1500)
  t.ok(other.seen.length > one.seen.length, 'the other one goes on')
  other.feed.close()
  other.feed.close()
  await other.over
  await settle()
  t.equal(cost.open, 0)
  const third = open()
  await system.world.advance(1500)
  await third.over
  t.same(lines(third.seen), lines(await framesOf(system, taskId)))
  t.equal(cost.open, 0)
  await system.close()
})

/** Stores an event whose header counts frames that it does not give. */
const damage = async (system: TestSystem, stream: string) => {
  const [first] = await system.stored()
  if (first === undefined) throw new Error('nothing is stored')
  const { principal, owner, session_id, correlation_id, causation_id } = first.header
  const expectedRevision = system.log.revisionOf(stream)
  const events = [{ type: 'RewardGiven', schema_version: 1, data: { value: 1 }, seq: 99, frames: 3 }]
  const who = { principal, owner, session_id, correlation_id, causation_id }
  await system.log.append([{ stream, expectedRevision, ...who, events }])
}

t.test('those who follow a task hear why it cannot be read', async t => {
  const { system, feeds } = await counted([])
  const taskId = await system.play([{ sleep_ms: 1000 }, { message: 'a' }])
  const stream = `task-${taskId}`
  const hear = async () => {
    for await (const _ of feeds.open({ stream, after: -1, endsAtWait: false }).frames());
  }
  const both = [hear(), hear()].map(over =>
    t.rejects(over, { message: /its header numbers them differently/ }),
  )
  await quiet(system)
  await damage(system, stream)
  await Promise.all(both)
  await system.close()
})

t.test('one that is slow gets every frame before the damage, and then hears of it', async t => {
  const { system, feeds, cost } = await counted([])
  const taskId = await system.play([{ sleep_ms: 1000 }, { message: 'a' }, { sleep_ms: 1000 }])
  const request = { stream: `task-${taskId}`, after: -1, endsAtWait: false }
  const { promise: held, resolve: release } = deferred()
  const hear = async (seen: Frame[], pause: () => Promise<unknown>) => {
    for await (const frames of feeds.open(request).frames()) {
      seen.push(...frames)
      await pause()
    }
  }
  const ofQuick: Frame[] = []
  const ofSlow: Frame[] = []
  const why = { message: /its header numbers them differently/ }
  const quick = t.rejects(
    hear(ofQuick, async () => {}),
    why,
  )
  await quiet(system)
  const slow = t.rejects(
    hear(ofSlow, () => held),
    why,
  )
  await quiet(system)
  await system.world.advance(1500)
  await damage(system, request.stream)
  await quick
  t.ok(ofSlow.length < ofQuick.length)
  release()
  await slow
  t.same(lines(ofSlow), lines(ofQuick))
  await settle()
  t.equal(cost.open, 0)
  await system.close()
})

t.test('a window gives what a list of all frames would give, or says that it cannot', t => {
  const statuses = ['working', 'working', 'working', 'paused', 'input-required'] as const
  let covered = 0
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomOf(seed)
    const entries: Entry[] = []
    const window = createFrameWindow(0)
    let next = 0
    const count = Math.floor(random() * 400)
    for (let n = 0; n < count; n++) {
      const frames = Array.from({ length: Math.floor(random() * 4) }, () => {
        const delta = 'x'.repeat(random() < 0.05 ? 5000 : 20)
        return { type: 'task.text.delta', sequence_number: next++, task_id: 't', delta } as Frame
      })
      const last = n === count - 1 && frames.length > 0 && random() < 0.5
      const status = frames.length === 0 ? (entries.at(-1)?.status ?? 'created') : undefined
      const moved = last ? 'completed' : (statuses[Math.floor(random() * statuses.length)] ?? 'working')
      const entry = { frames, status: status ?? moved, next }
      entries.push(entry)
      window.add(framed([entry]), next - 1)
      const after = Math.floor(random() * (next + 1)) - 1
      for (const at of [after, next - 1, Math.max(-1, next - 20)]) {
        const endsAtWait = random() < 0.5
        const kept = window.after(at)
        if (kept === undefined) continue
        covered++
        const batch = sharedBatchOf(kept, entry.status, at, endsAtWait)
        const rests = kept.length === 0 && endsAtWait && /paused|input/.test(entry.status)
        const expected = rests ? { frames: [], ended: true } : batchOf(entries, at, endsAtWait)
        if (JSON.stringify(batch) !== JSON.stringify(expected)) t.same(batch, expected, `SEED=${seed}`)
      }
    }
  }
  t.ok(covered > 1000)
  const window = createFrameWindow(0)
  const add = (frame: object, n: number) =>
    window.add([{ frames: [frame as Frame], status: 'working', next: n + 1 }], n)
  const long = (n: number) => ({
    type: 'task.text.delta',
    sequence_number: n,
    task_id: 't',
    delta: 'x'.repeat(40_000),
  })
  for (let n = 0; n < 5; n++) add(long(n), n)
  t.equal(window.after(-1), undefined)
  t.equal(window.after(3)?.length, 1, 'what came last is always there')
  for (let n = 5; n < 1000; n++) add({ ...long(n), delta: '' }, n)
  t.equal(window.after(999 - 128)?.length, 128)
  t.equal(window.after(600), undefined)
  t.end()
})

t.test('very many are served in turns, at once or when they are ready, and each has every frame', async t => {
  const { promise: may, resolve: go } = deferred()
  const { system, feeds } = await counted([
    talker(
      Array.from({ length: 30 }, (_, n) => `${n}`),
      may,
    ),
  ])
  const taskId = await system.create({ client_id: 'talker' })
  const random = randomOf(7)
  let inTurn = 0
  let most = 0
  let isOver = false
  const onTurn = () => {
    inTurn = 0
    if (!isOver) setImmediate(onTurn)
  }
  setImmediate(onTurn)
  const follow = async (n: number) => {
    const seen: Frame[] = []
    const feed = feeds.open({ stream: `task-${taskId}`, after: -1, endsAtWait: false })
    const takeAtOnce = (frames: readonly Frame[]) => {
      if (n % 3 === 0 && random() < 0.3) return false
      most = Math.max(most, ++inTurn)
      seen.push(...frames)
      return true
    }
    for await (const frames of feed.frames(takeAtOnce)) {
      seen.push(...frames)
      if (n % 50 === 49 && seen.length > 20) feed.close()
      if (n % 3 === 0) await settle(Math.floor(random() * 3))
    }
    return { seen, isAtEnd: feed.isAtEnd() }
  }
  const following = Promise.all(Array.from({ length: 500 }, (_, n) => follow(n)))
  await settle(20)
  go()
  await quiet(system)
  const whole = lines(await framesOf(system, taskId))
  for (const [n, { seen, isAtEnd }] of (await following).entries()) {
    if (isAtEnd) t.same(lines(seen), whole)
    else t.same([n % 50, lines(seen)], [49, whole.slice(0, seen.length)], 'it was closed')
  }
  isOver = true
  t.ok(most > 0 && most < 500, `at most ${most} in one turn`)
  await system.close()
})
