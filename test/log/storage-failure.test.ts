import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { RevisionConflict, StorageFailure } from '../../src/contract/stored.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import { settle } from '../support/world.ts'
import { faultyStore } from './faulty-store.ts'
import {
  all,
  dataOf,
  fileIn,
  numbered,
  oneToN,
  openFile,
  openOn,
  places,
  rejection,
  sameText,
  to,
} from './support.ts'

const givenLog = async (t: Test) => {
  const { store, faults } = faultyStore(memoryStore())
  const log = await openOn(t, store)
  const commits: number[] = []
  let reopened = 0
  log.onCommit(events => void commits.push(...events.map(({ position }) => position)))
  log.onReopened(async () => {
    reopened++
  })
  await log.append([to('a', -1, { n: 0 })])
  return { log, faults, commits, reopenedTimes: () => reopened }
}

t.test('every append under way and queued is rejected, and none of them is told', async t => {
  const { log, faults, commits } = await givenLog(t)
  faults.write = 'before'
  const calls = numbered(1500).map(({ n }) => rejection(log.append([to(`s${n}`, -1, { n })])))
  const errors = await Promise.all(calls)
  t.equal(errors.length, 1500)
  t.ok(errors.every(error => error instanceof StorageFailure))
  t.ok(log.isFailing())
  t.same(commits, [1])
  t.equal(log.head(), 1)
  sameText(t, dataOf(await all(log)), [{ n: 0 }], 'what is stored can still be read')
})

t.test('a failure in the second batch under way leaves the first one answered', async t => {
  const { log, faults } = await givenLog(t)
  const first = numbered(256).map(({ n }) => log.append([to(`s${n}`, -1, { n })]))
  const second = numbered(10, 256).map(({ n }) => log.append([to(`s${n}`, -1, { n })]))
  const write = faults.writes
  while (faults.writes === write) await settle(1)
  t.ok(faults.writes > write)
  faults.write = 'before'
  const [ends, others] = [await Promise.allSettled(first), await Promise.allSettled(second)]
  faults.write = undefined
  const answered = [...ends, ...others].flatMap(end => (end.status === 'fulfilled' ? end.value : []))
  t.ok(answered.length >= 256)
  await log.append([to('next', -1, {})])
  const events = await all(log)
  sameText(t, places(events).slice(1, answered.length + 1), places(answered))
  sameText(
    t,
    events.map(({ position }) => position),
    oneToN(events.length),
  )
})

t.test('nothing is answered until the log was opened anew; then appends work by themselves', async t => {
  const { log, faults, reopenedTimes } = await givenLog(t)
  faults.write = 'before'
  t.ok((await rejection(log.append([to('a', 0, { n: -1 })]))) instanceof StorageFailure)
  faults.write = undefined
  faults.reopen = true
  const { writes } = faults
  for (let i = 0; i < 3; i++) {
    t.ok((await rejection(log.append([to('a', 0, { n: -2 })]))) instanceof StorageFailure)
    t.ok(
      (await rejection(log.append([to('a', 7, { n: -3 })]))) instanceof StorageFailure,
      'no conflict is claimed',
    )
    t.ok(log.isFailing())
  }
  t.equal(faults.writes, writes, 'nothing is written to a log that was not opened anew')
  t.equal(reopenedTimes(), 0)
  faults.reopen = false
  t.same(places(await log.append([to('a', 0, { n: 1 })])), ['2 a@1'])
  t.notOk(log.isFailing())
  t.equal(reopenedTimes(), 1)
  t.same(dataOf(await all(log)), [{ n: 0 }, { n: 1 }])
})

t.test('what was void leaves no hole and no trace in the revisions', async t => {
  const { log, faults } = await givenLog(t)
  faults.write = 'before'
  const calls = [
    log.append([to('a', 0, {}, {})]),
    log.append([to('a', 2, {})]),
    log.append([to('new', -1, {})]),
    log.append([to('new', 0, {}), to('newer', -1, {})]),
  ]
  for (const call of calls) t.ok((await rejection(call)) instanceof StorageFailure)
  faults.write = undefined
  await log.retry()
  t.equal(log.revisionOf('a'), 0)
  t.equal(log.revisionOf('new'), -1)
  t.match(await rejection(log.append([to('new', 0, {})])), { stream: 'new', expected: 0, actual: -1 })
  t.same(places(await log.append([to('newer', -1, {}), to('a', 0, {})])), ['2 newer@0', '3 a@1'])
  t.same(places(await log.append([to('new', -1, {})])), ['4 new@0'])
  t.same(places(await all(log)), ['1 a@0', '2 newer@0', '3 a@1', '4 new@0'])
})

t.test('a write that was stored and yet failed is found when the log is opened anew', async t => {
  const { log, faults, commits } = await givenLog(t)
  faults.write = 'after'
  t.ok((await rejection(log.append([to('a', 0, { n: 1 }), to('b', -1, { n: 2 })]))) instanceof StorageFailure)
  t.equal(log.head(), 1, 'not acknowledged')
  t.same(commits, [1], 'not told')
  faults.write = undefined
  const retried = await rejection(log.append([to('a', 0, { n: 1 })]))
  t.ok(retried instanceof RevisionConflict, 'whoever tries again learns that it is there')
  t.match(retried, { expected: 0, actual: 1 })
  t.same(places(await log.append([to('c', -1, {}), to('a', 1, {})])), ['4 c@0', '5 a@2'])
  t.same(places(await all(log)), ['1 a@0', '2 a@1', '3 b@0', '4 c@0', '5 a@2'])
})

t.test('many who call while the log is opened anew are served in the order of their calls', async t => {
  const { log, faults, reopenedTimes } = await givenLog(t)
  faults.write = 'before'
  await rejection(log.append([to('a', 0, {})]))
  faults.write = undefined
  const calls = numbered(50).map(({ n }) => log.append([to('a', n, { n: n + 1 })]))
  sameText(
    t,
    (await Promise.all(calls)).flatMap(places),
    numbered(50).map(({ n }) => `${n + 2} a@${n + 1}`),
  )
  t.equal(reopenedTimes(), 1)
  t.equal(faults.reopens, 1)
})

t.test('the log is opened anew on request, without an append', async t => {
  const { log, faults, reopenedTimes } = await givenLog(t)
  await log.retry()
  t.equal(faults.reopens, 0, 'a sound log is left alone')
  faults.write = 'before'
  await rejection(log.append([to('a', 0, {})]))
  faults.write = undefined
  faults.reopen = true
  t.ok((await rejection(log.retry())) instanceof StorageFailure)
  t.ok(log.isFailing())
  faults.reopen = false
  await log.retry()
  t.notOk(log.isFailing())
  t.equal(reopenedTimes(), 1)
  t.equal(log.head(), 1)
})

t.test('a log whose end could not be read when it was opened anew is tried again', async t => {
  const { log, faults } = await givenLog(t)
  faults.write = 'before'
  await rejection(log.append([to('a', 0, {})]))
  faults.write = undefined
  faults.end = true
  t.ok((await rejection(log.append([to('a', 0, {})]))) instanceof StorageFailure, 'a failure of the storage')
  faults.end = false
  t.same(await log.append([to('a', 0, {})]).then(places, String), ['2 a@1'])
})

t.test('a log that failed can be closed', async t => {
  const { log, faults } = await givenLog(t)
  faults.write = 'before'
  const call = rejection(log.append([to('a', 0, {})]))
  await log.close()
  t.ok((await call) instanceof StorageFailure)
})

t.test('in a real file: one refused batch takes those behind it along', async t => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  await log.append([to('a', -1, { n: 0 })])
  const other = new Database(file)
  t.teardown(() => other.close())
  // The batch that holds the bad event fails in the database; the ones behind it would succeed by themselves.
  other.exec(`CREATE TRIGGER bad BEFORE INSERT ON events WHEN new.payload LIKE '%bad%'
    BEGIN SELECT RAISE(ABORT, 'a bad sector'); END`)
  const calls = numbered(1000, 1).map(({ n }) =>
    log.append([to(`s${n}`, -1, n === 5 ? { n, bad: true } : { n })]),
  )
  const errors = await Promise.all(calls.map(rejection))
  t.equal(errors.filter(error => error instanceof StorageFailure).length, 1000)
  other.exec('DROP TRIGGER bad')
  t.same(places(await log.append([to('s1', -1, {}), to('a', 0, {})])), ['2 s1@0', '3 a@1'])
  t.same(places(await all(log)), ['1 a@0', '2 s1@0', '3 a@1'])
  await log.close()
  t.same(places(await all(await openFile(t, file))), ['1 a@0', '2 s1@0', '3 a@1'])
})
