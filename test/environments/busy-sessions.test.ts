// Which process sessions keep a processor busy, with processes that are made up.
import t from 'tap'
import { createBusySessions } from '../../src/platform/programs/memory-watch.ts'

const seen = (...processes: [pid: number, session: number, cpuMs: number, waitedMs?: number][]) =>
  processes.map(([pid, session, cpuMs, waitedMs = 0]) => ({ pid, session, cpuMs, waitedMs }))

t.test('a session is busy while its processes use a fifth of a processor, and not before or after', t => {
  const { changes } = createBusySessions()
  t.same(changes(seen([7, 7, 1000]), 0), [{ session: 7, isBusy: true }], 'a new session, which starts')
  t.same(changes(seen([7, 7, 1040]), 250), [{ session: 7, isBusy: false }], '40 of 250 ms')
  t.same(changes(seen([7, 7, 1090]), 500), [{ session: 7, isBusy: true }], '50 of 250 ms')
  t.same(changes(seen([7, 7, 1340]), 750), [])
  t.same(changes(seen([7, 7, 1340]), 1000), [{ session: 7, isBusy: false }])
  t.end()
})

t.test('a session is busy while it always wants a processor, even if it gets none', t => {
  const { changes } = createBusySessions()
  changes(seen([7, 7, 0, 0]), 0)
  t.match(changes(seen([7, 7, 10, 200]), 250), [{ isBusy: false }], 'it wants one for 210 of 250 ms')
  t.same(changes(seen([7, 7, 20, 430]), 500), [{ session: 7, isBusy: true }], 'for 240 of 250 ms')
  t.end()
})

t.test('the processes of a session count together', t => {
  const { changes } = createBusySessions()
  changes(seen([7, 7, 0], [8, 7, 0], [9, 9, 0]), 0)
  t.same(changes(seen([7, 7, 30], [8, 7, 30], [9, 9, 30]), 250), [{ session: 9, isBusy: false }])
  t.end()
})

t.test('a session that others lead is left alone', t => {
  const { changes } = createBusySessions()
  t.same(changes(seen([8, 7, 0]), 0), [])
  t.same(changes(seen([8, 7, 1000]), 250), [])
  t.end()
})

t.test('two looks that follow each other closely are no measurement', t => {
  const { changes } = createBusySessions()
  changes(seen([7, 7, 0]), 0)
  t.same(changes(seen([7, 7, 20]), 5), [])
  t.same(changes(seen([7, 7, 40]), 1000), [{ session: 7, isBusy: false }], 'measured from the first look')
  t.end()
})

t.test('a session that has ended is forgotten', t => {
  const { changes } = createBusySessions()
  changes(seen([7, 7, 5000]), 0)
  changes(seen([7, 7, 5010]), 250)
  changes([], 500)
  t.same(changes(seen([7, 7, 0]), 750), [{ session: 7, isBusy: true }], 'another process has its number')
  t.end()
})
