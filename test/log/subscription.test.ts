// The one way to follow the log: past, then live, without a gap or a repeat, at the pace of its handler.
import t from 'tap'
import { DamagedEvent, type Recorded } from '../../src/contract/stored.ts'
import type { Subscription } from '../../src/log/follower/follower.ts'
import type { EventLog } from '../../src/log/log.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import { randomOf, settle, testWorld } from '../support/world.ts'
import { faultyStore } from './faulty-store.ts'
import { deferred, numbered, onBothStores, openOn, rejection, to } from './support.ts'

const positionsOf = (events: readonly Recorded[]): number[] => events.map(({ position }) => position)
const range = (from: number, upTo: number): number[] =>
  Array.from({ length: Math.max(0, upTo - from + 1) }, (_, n) => from + n)

onBothStores('the past comes in pages, and what is committed follows it', async (t, { log }) => {
  await log.append([to('a', -1, ...numbered(2500))])
  const got: number[][] = []
  const following = log.subscribe({ after: 0 }, events => void got.push(positionsOf(events)))
  t.same(got, [], 'nothing before the caller holds its subscription')
  await log.append([to('b', -1, ...numbered(3))])
  await following.reached(2503)
  await log.append([to('b', 2, ...numbered(1))])
  t.same(got.at(-1), [2504], 'a commit has been handed over when its caller is answered')
  t.same(got.flat(), range(1, 2504))
  t.ok(got.every(each => each.length <= 1000))
  await following.stop()
})

onBothStores('it begins after any position, and after any revision of a stream', async (t, { log }) => {
  for (let n = 0; n < 6; n++) await log.append([to('a', n - 1, { n }), to(`b${n}`, -1, { n })])
  for (let after = 0; after <= 12; after++) {
    const got: number[] = []
    const following = log.subscribe({ after }, events => void got.push(...positionsOf(events)))
    await following.reached(12)
    t.same(got, range(after + 1, 12))
    await following.stop()
  }
  for (let after = -1; after <= 5; after++) {
    const got: number[] = []
    const following = log.subscribe({ stream: 'a', after }, events => {
      for (const { header } of events) got.push(header.revision)
    })
    await following.reached(5)
    t.same(got, range(after + 1, 5))
    await following.stop()
  }
})

t.test('who is live costs the log no reading', async t => {
  let reads = 0
  const store = memoryStore()
  const counted = {
    ...store,
    page: (after: number, limit: number) => {
      reads++
      return store.page(after, limit)
    },
    streamPage: (stream: string, after: number, limit: number) => {
      reads++
      return store.streamPage(stream, after, limit)
    },
  }
  const log = await openOn(t, counted)
  const got: number[] = []
  log.subscribe({ after: 0 }, events => void got.push(...positionsOf(events)))
  log.subscribe({ stream: 'a', after: -1, isNew: true }, events => void got.push(...positionsOf(events)))
  for (let n = 0; n < 20; n++) await log.append([to('a', n - 1, { n })])
  t.equal(got.length, 40)
  t.equal(reads, 0)
})

t.test('a slow handler is handed one batch at a time, and what it missed is read again', async t => {
  const log = await openOn(t, memoryStore())
  let gate = deferred()
  let running = 0
  const got: number[][] = []
  const following = log.subscribe({ after: 0 }, async events => {
    t.equal(++running, 1)
    got.push(positionsOf(events))
    await gate.promise
    running--
  })
  await log.append([to('a', -1, { n: 0 })])
  for (let n = 1; n <= 10; n++) await log.append([to('a', n - 1, { n })])
  t.same(got, [[1]], 'commits do not wait for it')
  t.equal(following.position(), 0, 'the batch is not handled yet')
  const first = gate
  gate = deferred()
  first.resolve()
  await following.reached(1)
  await settle()
  t.same(got.at(-1), range(2, 11), 'a few are kept')
  for (let n = 11; n < 3000; n++) await log.append([to('a', n - 1, { n })])
  gate.resolve()
  await following.reached(3000)
  t.same(got.flat(), range(1, 3000))
  t.equal(got[2]?.length, 1000, 'more are read from the store, in pages')
})

t.test('a stopped subscription hands over nothing more, and waits for its handler', async t => {
  const log = await openOn(t, memoryStore())
  const gate = deferred()
  const got: number[] = []
  const following = log.subscribe({ after: 0 }, async events => {
    got.push(...positionsOf(events))
    await gate.promise
  })
  await log.append([to('a', -1, { n: 0 })])
  const late = rejection(following.reached(2))
  let isOver = false
  const stopped = following.stop().then(() => {
    isOver = true
  })
  await log.append([to('a', 0, { n: 1 })])
  t.match(await late, { message: 'the subscription was stopped' })
  await settle()
  t.equal(isOver, false)
  gate.resolve()
  await stopped
  t.same(got, [1])
  t.equal(following.position(), 1, 'from here on it can be gone on with')
  await following.reached(1)
  t.match(await rejection(following.reached(2)), { message: 'the subscription was stopped' })
})

t.test('what a handler throws ends its subscription alone', async t => {
  const log = await openOn(t, memoryStore())
  const others: number[] = []
  const throws = log.subscribe({ after: 0 }, () => {
    throw new Error('thrown')
  })
  const rejects = log.subscribe({ after: 0 }, () => Promise.reject(new Error('rejected')))
  log.subscribe({ after: 0 }, events => void others.push(...positionsOf(events)))
  const ends = [throws, rejects].map(({ done }) => rejection(done))
  const waits = rejection(rejects.reached(1))
  await log.append([to('a', -1, { n: 0 })])
  await log.append([to('a', 0, { n: 1 })])
  t.match(await Promise.all(ends), [{ message: 'thrown' }, { message: 'rejected' }])
  t.match(await waits, { message: 'rejected' })
  t.equal(throws.position(), 0)
  t.same(others, [1, 2])
})

t.test('what is stored and damaged ends it where the damage is', async t => {
  const store = memoryStore()
  const log = await openOn(t, {
    ...store,
    page: (after: number, limit: number) => store.page(after, limit).filter(({ position }) => position !== 3),
  })
  await log.append([to('a', -1, ...numbered(5))])
  const following = log.subscribe({ after: 0 }, () => {
    t.fail('nothing of a damaged page is shown')
  })
  t.match(await rejection(following.done), new DamagedEvent(3, 'is missing'))
})

t.test(
  'nothing is handed over before it is committed, and what a failed write left is not missed',
  async t => {
    const { store, faults } = faultyStore(memoryStore())
    const log = await openOn(t, store)
    const got: number[] = []
    const following = log.subscribe({ after: 0 }, events => void got.push(...positionsOf(events)))
    await log.append([to('a', -1, { n: 0 })])
    faults.write = 'after'
    await rejection(log.append([to('a', 0, { n: 1 })]))
    faults.write = undefined
    const early: number[] = []
    log.subscribe({ after: 0 }, events => void early.push(...positionsOf(events)))
    await settle()
    t.same([got, early], [[1], [1]])
    await log.retry()
    t.same(
      [got, early],
      [
        [1, 2],
        [1, 2],
      ],
    )
    await log.append([to('a', 1, { n: 2 })])
    t.same(
      [got, early],
      [
        [1, 2, 3],
        [1, 2, 3],
      ],
    )
    await following.stop()
  },
)

t.test('before each reading it waits to be let in; in pages, it reads whatever comes', async t => {
  const log = await openOn(t, memoryStore())
  let gate = deferred()
  const got: number[][] = []
  const following = log.subscribe(
    { after: 0, inPages: true, beforeRead: () => gate.promise },
    events => void got.push(positionsOf(events)),
  )
  for (let n = 0; n < 5; n++) await log.append([to('a', n - 1, { n })])
  await settle()
  t.same(got, [])
  gate.resolve()
  await following.reached(5)
  t.same(got, [range(1, 5)], 'all that came meanwhile is one page')
  gate = deferred()
  await log.append([to('a', 4, { n: 5 })])
  const stopped = following.stop()
  gate.resolve()
  await stopped
  t.same(got, [range(1, 5)])
})

type Reader = {
  log: EventLog
  stream: string | undefined
  got: number[]
  wrong: string[]
  current: Subscription
  /** Stops it, and goes on from where it was. */
  restart(): Promise<void>
}

/** A reader that complains of what must not be. */
const reader = (log: EventLog, stream: string | undefined, after: number, random: () => number): Reader => {
  const upTo = (n: number) => Math.floor(random() * n)
  const got: number[] = []
  const wrong: string[] = []
  const begin = (from: number): Subscription => {
    let isBusy = false
    let isStopped = false
    const slowness = random() < 0.4 ? 0 : 1 + upTo(4)
    const handle = (events: readonly Recorded[]) => {
      if (isBusy) wrong.push('handed more while it works')
      if (isStopped) wrong.push('handed more after its stop')
      if (events.length === 0) wrong.push('handed nothing')
      for (const { position, header } of events) {
        const number = stream === undefined ? position : header.revision
        const before = got.at(-1) ?? after
        if (number !== before + 1) wrong.push(`${number} follows ${before}`)
        if (position > log.head()) wrong.push(`${position} before it was committed`)
        if (stream !== undefined && header.stream !== stream) wrong.push(`${header.stream} for ${stream}`)
        got.push(number)
      }
      if (slowness === 0 || random() < 0.3) return
      isBusy = true
      return settle(upTo(slowness + 1)).then(() => {
        isBusy = false
      })
    }
    const isPatient = random() < 0.3
    const following = log.subscribe(
      {
        after: from,
        inPages: random() < 0.2,
        ...(stream === undefined ? {} : { stream }),
        ...(isPatient ? { beforeRead: () => (random() < 0.5 ? undefined : settle(upTo(3))) } : {}),
      },
      handle,
    )
    following.done.catch(error => wrong.push(String(error)))
    return {
      ...following,
      stop: () => {
        isStopped = true
        return following.stop()
      },
    }
  }
  const mine: Reader = {
    log,
    stream,
    got,
    wrong,
    current: begin(after),
    async restart() {
      await mine.current.stop()
      mine.current = begin(mine.current.position())
    },
  }
  return mine
}

const play = async (seed: number, steps: number): Promise<string[]> => {
  const random = randomOf(seed)
  const upTo = (n: number) => Math.floor(random() * n)
  const { store, faults } = faultyStore(memoryStore())
  const log = await openOn(t, store, testWorld(seed))
  const readers: { reader: Reader; after: number }[] = []
  const appends: Promise<unknown>[] = []
  for (let step = 0; step < steps; step++) {
    const chance = random()
    if (chance < 0.03) faults.write = random() < 0.5 ? 'before' : 'after'
    else if (chance < 0.2) faults.write = undefined
    if (chance > 0.85 && readers.length < 12) {
      const stream = random() < 0.5 ? undefined : `s${upTo(3)}`
      const end = stream === undefined ? log.head() : (await log.lastOf(stream))?.header.revision
      const after = stream === undefined ? upTo((end ?? 0) + 1) : upTo((end ?? -1) + 2) - 1
      readers.push({ reader: reader(log, stream, after, random), after })
    }
    if (chance > 0.4 && chance < 0.45) await readers[upTo(readers.length)]?.reader.restart()
    if (chance > 0.5 && chance < 0.7) await settle(upTo(5))
    if (chance > 0.7 && chance < 0.72) await log.retry().catch(() => {})
    const stream = `s${upTo(3)}`
    const many = random() < 0.1 ? upTo(90) : upTo(3)
    appends.push(log.append([to(stream, log.revisionOf(stream), ...numbered(1 + many))]).catch(() => {}))
  }
  await Promise.all(appends)
  faults.write = undefined
  await log.retry()
  await log.settled()
  const wrong: string[] = []
  for (const { reader, after } of readers) {
    const end = reader.stream === undefined ? log.head() : log.revisionOf(reader.stream)
    await reader.current.reached(end).catch(error => reader.wrong.push(String(error)))
    if (reader.got.length !== end - after) wrong.push(`${reader.got.length} of ${end - after} events`)
    await reader.current.stop()
    wrong.push(...reader.wrong)
  }
  return wrong
}

t.test('whatever is committed, fails, is slow, stops and goes on: no gap, no repeat', async t => {
  const seeds = Number(process.env.SEEDS ?? 120)
  const first = Number(process.env.SEED ?? 1)
  const wrong: string[] = []
  for (let seed = first; seed < first + seeds; seed++) {
    wrong.push(...(await play(seed, 80)).map(what => `seed ${seed}: ${what}`))
  }
  t.same(wrong.slice(0, 10), [], `${seeds} runs`)
})
