// The projector under everything that may happen around it: however the commits are cut, whenever somebody reads,
// whatever tasks it has let go of, it never stops, and what it wrote is what a rebuild from nothing writes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { differences } from '../../projections/compare.ts'
import { createReadModels } from '../../projections/read-models.ts'
import { openReadStore, type ReadStore } from '../../projections/store.ts'
import type { Log, Recorded } from '../../src/contract/stored.ts'
import '../support/built.ts'
import { randomOf, settle, testWorld } from '../support/world.ts'
import { randomHistory } from './histories.ts'

const first = Number(process.env.SEED ?? 1)
/** A thousand: npm run soak -- projector */
const runs = Number(process.env.RUNS ?? 20)
const pageEvents = 7
t.setTimeout(30_000 + runs * 500)

/** A log that knows the first so many of these events. */
const logOf = (events: Recorded[]) => {
  let head = 0
  const streams = new Map<string, Recorded[]>()
  for (const event of events) {
    const own = streams.get(event.header.stream) ?? []
    own.push(event)
    streams.set(event.header.stream, own)
  }
  function* pages(all: Recorded[], isWanted: (event: Recorded) => boolean) {
    for (let from = 0; ; ) {
      const page = all
        .filter(event => event.position <= head && isWanted(event))
        .slice(from, from + pageEvents)
      if (page.length === 0) return
      yield page
      from += page.length
    }
  }
  const log = {
    head: () => head,
    leafAt: (position: number) => (position <= head ? `leaf ${position}` : undefined),
    async *readAll(after = 0) {
      yield* pages(events, ({ position }) => position > after)
    },
    *streamPages(stream: string, after = -1) {
      yield* pages(streams.get(stream) ?? [], ({ header }) => header.revision > after)
    },
    async *readStream(stream: string, after = -1) {
      yield* pages(streams.get(stream) ?? [], ({ header }) => header.revision > after)
    },
  } as unknown as Log
  /** The next so many events are durable now; the answer: those. */
  const commit = (count: number): Recorded[] => {
    const batch = events.slice(head, head + count)
    head += batch.length
    return batch
  }
  return { log, commit, isWhole: () => head === events.length }
}

/** `loses`: a failure also takes back what was written since the last commit. */
const breakDisk = (store: ReadStore, loses: boolean) => {
  const failure = `BEGIN SELECT raise(${loses ? 'ROLLBACK' : 'ABORT'}, 'disk full'); END`
  store.exec(`CREATE TEMP TRIGGER IF NOT EXISTS broken BEFORE UPDATE ON tasks ${failure};
    CREATE TEMP TRIGGER IF NOT EXISTS broken_too AFTER INSERT ON tasks ${failure}`)
}
/** What was written since the last commit is lost, as when the disk fails. The store notices it later. */
const rollBack = (store: ReadStore) => {
  try {
    store.exec('ROLLBACK')
  } catch {} // everything was committed
}
const repairDisk = (store: ReadStore) =>
  store.exec('DROP TRIGGER IF EXISTS broken; DROP TRIGGER IF EXISTS broken_too')

/** The read models of these events, made in one go. */
const rebuilt = async (log: Log): Promise<ReadStore> => {
  const store = openReadStore(':memory:')
  await createReadModels(store, log, testWorld().timers, () => {}).catchUp()
  return store
}

/** Plays one history; the answer: what is wrong. */
const play = async (seed: number, events: Recorded[], { disks }: { disks: boolean }): Promise<string[]> => {
  const random = randomOf(seed)
  const upTo = (most: number) => 1 + Math.floor(random() * most)
  const world = testWorld(seed)
  const { log, commit, isWhole } = logOf(events)
  const store = openReadStore(':memory:')
  const wrong: string[] = []
  const report = (level: string, message: string, fields: unknown) => {
    if (!disks) wrong.push(`${level} ${message} ${JSON.stringify(fields)}`)
  }
  const limits = { mostInMemory: upTo(6), mostAsleep: upTo(6) }
  let lives = 0
  /** A projector as a process would have it: its timers end with it. */
  const make = () => {
    const life = ++lives
    const after = (ms: number, job: () => void) => world.timers.after(ms, () => life === lives && job())
    return createReadModels(store, log, { ...world.timers, after }, report, limits)
  }
  let projector = make()
  /** Commits hear of each other in turn, like those of the log. */
  let told: Promise<void> = Promise.resolve()
  let catchingUp: Promise<unknown> = Promise.resolve()
  const tell = (batch: Recorded[]) => {
    const current = projector
    told = told.then(() => current.follow(batch))
  }
  const catchUp = () => {
    catchingUp = projector.catchUp().catch(error => {
      if (!disks) wrong.push(`catching up: ${error}`)
    })
  }
  const compare = async (what: string) => {
    const fresh = await rebuilt(log)
    for (const difference of differences(store, fresh)) wrong.push(`${what}: ${JSON.stringify(difference)}`)
    await fresh.close()
  }
  const ops: [weight: number, op: () => unknown][] = [
    [8, () => tell(commit(upTo(upTo(40))))],
    [3, () => projector.flush()],
    [2, () => world.advance(25)],
    [2, () => settle(1)],
    [0.7, catchUp],
    [
      0.3,
      async () => {
        await Promise.all([told, catchingUp])
        store.rollBack()
        projector = make() // the process ended without a word: what was not written is not known any more
        await projector.catchUp().catch(error => {
          if (!disks) wrong.push(`after a restart: ${error}`)
        })
      },
    ],
    [disks ? 0.3 : 0, () => rollBack(store)],
    [disks ? 0.6 : 0, () => breakDisk(store, random() < 0.5)],
    [disks ? 0.9 : 0, () => repairDisk(store)],
    [
      0.3,
      async () => {
        await Promise.all([told, catchingUp])
        projector.flush()
        if (disks && !projector.isCurrent()) return
        if (!projector.isCurrent()) wrong.push('it is not current, though nothing went wrong')
        await compare('on the way')
      },
    ],
  ]
  const total = ops.reduce((sum, [weight]) => sum + weight, 0)
  while (!isWhole() && wrong.length === 0) {
    let at = random() * total
    const found = ops.find(([weight]) => {
      at -= weight
      return at < 0
    })
    await found?.[1]()
  }
  repairDisk(store)
  await Promise.all([told, catchingUp])
  // The server tries again after each failure.
  if (disks) await projector.catchUp().catch(() => projector.catchUp())
  projector.flush()
  if (!projector.isCurrent()) wrong.push('it is not current at the end')
  await compare('at the end')
  await store.close()
  return wrong
}

for (const disks of [false, true]) {
  const title = disks
    ? 'and so it is when its disk fails now and then'
    : 'what it writes is what a rebuild writes'
  t.test(title, async t => {
    const types = new Set<string>()
    for (let seed = first; seed < first + runs; seed++) {
      const events = await randomHistory(seed, 60)
      for (const { header } of events) types.add(header.type)
      const wrong = await play(seed, events, { disks }).catch(error => [String(error?.stack ?? error)])
      t.same(wrong.slice(0, 3), [], `SEED=${seed}, ${events.length} events`)
      if (wrong.length > 0) break
    }
    for (const type of [
      'TaskDeleted',
      'RewardGiven',
      'TaskCanceled',
      'TaskPaused',
      'InputAccepted',
      'EffectCompleted',
    ])
      t.ok(types.has(type), `the histories hold ${type}`)
  })
}

t.test('rows wait while the WAL is copied, unless a query needs them', async t => {
  const world = testWorld(1)
  const { log, commit } = logOf(await randomHistory(1, 20))
  const stored = openReadStore(':memory:')
  t.teardown(() => stored.close())
  let isCopying = true
  const store = { ...stored, isCopying: () => isCopying }
  const projector = createReadModels(store, log, world.timers, () => t.fail('nothing goes wrong'))
  await projector.catchUp()
  projector.follow(commit(5))
  await world.advance(200)
  t.equal(projector.reached(), 0, 'they wait')
  projector.flush()
  t.equal(projector.reached(), 5, 'a query does not wait')
  projector.follow(commit(5))
  await world.advance(200)
  t.equal(projector.reached(), 5)
  isCopying = false
  await world.advance(20)
  t.equal(projector.reached(), 10)
})

t.test('rows that a query has seen are committed at once, and others at most every 200 ms', async t => {
  const world = testWorld(1)
  const { log, commit } = logOf(await randomHistory(1, 20))
  const stored = openReadStore(':memory:')
  t.teardown(() => stored.close())
  let commits = 0
  const counted = () => {
    const isNews = stored.commit()
    if (isNews) commits++
    return isNews
  }
  const store = { ...stored, commit: counted }
  const projector = createReadModels(store, log, world.timers, () => t.fail('nothing goes wrong'))
  await projector.catchUp()
  commits = 0
  const after = async (ms: number) => {
    projector.follow(commit(1))
    await world.advance(ms)
    return commits
  }
  t.equal(await after(25), 1, 'the first ones do not wait')
  t.equal(await after(25), 1)
  t.equal(await after(25), 1)
  t.equal(projector.reached(), 3, 'they are written')
  await world.advance(150)
  t.equal(commits, 2)
  t.equal(await after(25), 2)
  projector.flush()
  t.equal(commits, 3)
  await world.advance(1000)
  t.equal(commits, 3, 'nothing is left')
})

const inFile = (t: Test) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-read-'))
  const store = openReadStore(path.join(folder, 'read.db'))
  t.teardown(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return store
}

t.test('while the file is written anew, the tables hold every event at every moment', async t => {
  const events = await randomHistory(2, 120)
  const { log, commit } = logOf(events)
  const stored = inFile(t)
  const states: boolean[] = []
  const follow = (count: number) => {
    for (let n = 0; n < count && log.head() < events.length; n++) projector.follow(commit(1))
    states.push(projector.isCurrent(), projector.isCurrentFor(events[0]?.header.stream ?? ''))
  }
  const store: ReadStore = {
    ...stored,
    async copy() {
      follow(10)
      const copy = await stored.copy()
      follow(10)
      if (copy === undefined) return copy
      const { sync, release, replace } = copy
      return {
        ...copy,
        async sync() {
          follow(3)
          await sync()
          follow(3)
        },
        async release() {
          await release()
          follow(3)
        },
        replace() {
          replace()
          t.ok(projector.isCurrentFor('task-unknown'))
        },
      }
    },
  }
  const projector = createReadModels(store, log, testWorld(1).timers, () => t.fail('nothing goes wrong'))
  await projector.catchUp()
  follow(20)
  for (let round = 0; round < 2; round++) {
    await projector.rewrite()
    follow(5)
    projector.flush()
    const fresh = await rebuilt(log)
    t.same([...differences(stored, fresh)], [])
    await fresh.close()
  }
  t.ok(states.length > 10)
  t.ok(states.every(Boolean))
})

t.test('the file is written anew by one after the other, although several ask for it', async t => {
  const { log, commit } = logOf(await randomHistory(3, 60))
  const stored = inFile(t)
  let underWay = 0
  let most = 0
  const store: ReadStore = {
    ...stored,
    async copy() {
      most = Math.max(most, ++underWay)
      const copy = await stored.copy()
      if (copy === undefined) return undefined
      return { ...copy, settle: () => copy.settle().finally(() => underWay--) }
    },
  }
  const projector = createReadModels(store, log, testWorld(1).timers, () => {})
  await projector.catchUp()
  commit(20)
  await projector.catchUp()
  await Promise.all([1, 2, 3].map(() => projector.rewrite()))
  t.equal(most, 1)
  t.equal(stored.pragma('integrity_check', { simple: true }), 'ok')
  const fresh = await rebuilt(log)
  t.same([...differences(stored, fresh)], [])
  await fresh.close()
})

t.test('when the new file cannot take the place of the old one, the tables are read again', async t => {
  const events = await randomHistory(2, 60)
  const { log, commit } = logOf(events)
  const stored = inFile(t)
  const store: ReadStore = {
    ...stored,
    async copy() {
      const copy = await stored.copy()
      return (
        copy && {
          ...copy,
          replace() {
            for (const table of ['tasks', 'items', 'task_moves', 'steps', 'task_counts', 'checkpoint'])
              stored.exec(`DELETE FROM ${table}`)
            throw new Error('no room')
          },
        }
      )
    },
  }
  const said: string[] = []
  const report = (_: string, message: string) => void said.push(message)
  const projector = createReadModels(store, log, testWorld(1).timers, report)
  await projector.catchUp()
  for (const event of commit(20)) projector.follow([event])
  await t.rejects(projector.rewrite(), { message: 'no room' })
  t.equal(projector.isCurrentFor(events[0]?.header.stream ?? ''), false, 'it may lack events of any stream')
  t.equal(said.length, 1)
  for (const event of commit(20)) projector.follow([event])
  await projector.catchUp()
  t.ok(projector.isCurrent())
  const fresh = await rebuilt(log)
  t.same([...differences(stored, fresh)], [])
  await fresh.close()
})

t.test('a task of which a crash has destroyed only the first event has a row without content', async t => {
  const events = await randomHistory(2, 60)
  const first = events.find(
    ({ header }) =>
      header.revision === 0 &&
      events.some(other => other.header.stream === header.stream && other.header.revision > 1),
  )
  const half = events.map(event => (event === first ? { ...event, data: undefined, erased_by: 1000 } : event))
  const { log, commit } = logOf(half)
  commit(half.length)
  const store = openReadStore(':memory:')
  t.teardown(() => store.close())
  const projector = createReadModels(store, log, testWorld(1).timers, () => t.fail('nothing goes wrong'))
  await projector.catchUp()
  const row = store.prepare<[number], object>('SELECT deleted, fields FROM tasks WHERE position = ?')
  t.same(row.get(first?.position ?? 0), { deleted: 2, fields: '{}' })
})
