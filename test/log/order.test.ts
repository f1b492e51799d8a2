import t from 'tap'
import { RevisionConflict } from '../../src/contract/stored.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import {
  all,
  dataOf,
  numbered,
  onBothStores,
  oneToN,
  openOn,
  places,
  rejection,
  sameText,
  streamOf,
  to,
} from './support.ts'

onBothStores('positions count from 1 without holes, revisions from 0 in each stream', async (t, { log }) => {
  t.equal(log.head(), 0)
  const first = await log.append([to('a', -1, { n: 0 }, { n: 1 })])
  const second = await log.append([to('b', -1, { n: 2 })])
  const third = await log.append([to('a', 1, { n: 3 }), to('b', 0, { n: 4 })])
  const expected = ['1 a@0', '2 a@1', '3 b@0', '4 a@2', '5 b@1']
  t.same(places([...first, ...second, ...third]), expected, 'as answered')
  t.same(places(await all(log)), expected, 'as read')
  t.equal(log.head(), 5)
})

onBothStores('a revision conflict names both revisions and writes nothing', async (t, { log }) => {
  await log.append([to('a', -1, ...numbered(3))])
  for (const [stream, expected, actual] of [
    ['a', -1, 2],
    ['a', 1, 2],
    ['a', 3, 2],
    ['new', 0, -1],
    ['new', 7, -1],
  ] as const) {
    const conflict = await rejection(log.append([to(stream, expected, { n: 9 })]))
    t.ok(conflict instanceof RevisionConflict, `${stream} expected at ${expected}`)
    t.match(conflict, { stream, expected, actual })
  }
  t.equal(log.head(), 3)
  t.equal(log.revisionOf('new'), -1)
  t.same(places(await log.append([to('a', 2, {})])), ['4 a@3'], 'the next event stands without a hole')
  t.equal((await all(log)).length, 4)
})

onBothStores('the expected revision is checked even where no event is given', async (t, { log }) => {
  await log.append([to('a', -1, {})])
  t.ok((await rejection(log.append([to('a', 5)]))) instanceof RevisionConflict)
  t.ok((await rejection(log.append([to('b', -1, {}), to('a', 3)]))) instanceof RevisionConflict)
  t.equal(log.head(), 1)
})

onBothStores('an append to several streams is all or nothing', async (t, { log, reopened }) => {
  await log.append([to('a', -1, {})])
  for (const appends of [
    [to('a', 0, { n: 1 }), to('b', -1, { n: 2 }), to('c', 4, { n: 3 })],
    [to('c', 4, { n: 3 }), to('a', 0, { n: 1 })],
  ]) {
    t.match(await rejection(log.append(appends)), { stream: 'c', expected: 4, actual: -1 })
  }
  t.equal(log.revisionOf('a'), 0)
  t.equal(log.revisionOf('b'), -1)
  t.same(places(await all(log)), ['1 a@0'])
  const events = await log.append([
    to('b', -1, { n: 1 }),
    to('a', 0, { n: 2 }, { n: 3 }),
    to('c', -1, { n: 4 }),
  ])
  t.same(places(events), ['2 b@0', '3 a@1', '4 a@2', '5 c@0'], 'in the order given')
  t.same(places(await all(await reopened())), ['1 a@0', '2 b@0', '3 a@1', '4 a@2', '5 c@0'])
})

onBothStores('of many who expect the same revision, one wins and the others learn it', async (t, { log }) => {
  const attempts = await Promise.allSettled(numbered(50).map(data => log.append([to('a', -1, data)])))
  t.equal(attempts[0]?.status, 'fulfilled', 'who called first wins')
  for (const attempt of attempts.slice(1)) {
    t.match(attempt, { status: 'rejected', reason: { stream: 'a', expected: -1, actual: 0 } })
  }
  t.same(dataOf(await all(log)), [{ n: 0 }])
})

onBothStores('the order of the calls is the order of the log', async (t, { log }) => {
  const answered: number[] = []
  const calls: Promise<unknown>[] = []
  const revisions = new Map<string, number>()
  for (const { n } of numbered(300)) {
    const stream = `s${n % 7}`
    const expected = revisions.get(stream) ?? -1
    revisions.set(stream, expected + 1)
    calls.push(log.append([to(stream, expected, { n })]).then(() => answered.push(n)))
  }
  await Promise.all(calls)
  sameText(
    t,
    answered,
    numbered(300).map(({ n }) => n),
    'answered in this order too',
  )
  const events = await all(log)
  sameText(t, dataOf(events), numbered(300))
  sameText(
    t,
    events.map(({ position }) => position),
    oneToN(300),
  )
})

onBothStores('a call is measured by the calls before it, committed or not', async (t, { log }) => {
  const first = log.append([to('a', -1, {})])
  const conflicting = rejection(log.append([to('a', -1, {})]))
  const second = log.append([to('a', 0, {})])
  t.match(await conflicting, { expected: -1, actual: 0 })
  t.same(places([...(await first), ...(await second)]), ['1 a@0', '2 a@1'], 'the conflict left no hole')
})

onBothStores('positions and revisions go on where the log was closed', async (t, { log, reopened }) => {
  await log.append([to('a', -1, {}, {}), to('b', -1, {})])
  const again = await reopened()
  t.equal(again.head(), 3)
  t.equal(again.revisionOf('a'), 1)
  t.match(await rejection(again.append([to('b', -1, {})])), { actual: 0 })
  t.same(places(await again.append([to('c', -1, {}), to('a', 1, {})])), ['4 c@0', '5 a@2'])
  t.equal((await streamOf(again, 'a')).length, 3)
})

onBothStores('closing answers everybody who called before', async (t, { log, reopened }) => {
  const calls = numbered(400).map(data => log.append([to(`s${data.n}`, -1, data)]))
  const again = await reopened()
  t.equal((await Promise.all(calls)).length, 400)
  sameText(t, dataOf(await all(again)), numbered(400))
})

onBothStores(
  'what cannot be written as JSON is refused and leaves no trace',
  async (t, { log, reopened }) => {
    await log.append([to('a', -1, {})])
    const cyclic: { self?: object } = {}
    cyclic.self = cyclic
    for (const data of [{ big: 1n }, cyclic]) {
      await t.rejects(log.append([to('new', -1, { n: 1 }, data)]))
      await t.rejects(log.append([to('a', 0, { n: 1 }, data)]))
    }
    t.equal(log.revisionOf('a'), 0)
    t.equal(log.revisionOf('new'), -1)
    t.same(places(await log.append([to('a', 0, {})])), ['2 a@1'])
    t.same(places(await log.append([to('new', -1, {})])), ['3 new@0'])
    t.same(places(await all(await reopened())), ['1 a@0', '2 a@1', '3 new@0'])
  },
)

t.test('a stream keeps its revision however many other streams are used', async t => {
  const streams = 100_000 // as many heads as the log keeps in memory
  const log = await openOn(t, memoryStore())
  await log.append(Array.from({ length: streams }, (_, n) => to(`s${n}`, -1, {})))
  const calls = [
    log.append([to('s0', 0, {})]),
    log.append([to('one-more', -1, {})]),
    log.append([to('s0', 1, {})]),
  ]
  const ends = await Promise.allSettled(calls)
  t.same(
    ends.map(end => (end.status === 'fulfilled' ? places(end.value) : String(end.reason))),
    [[`${streams + 1} s0@1`], [`${streams + 2} one-more@0`], [`${streams + 3} s0@2`]],
  )
})
