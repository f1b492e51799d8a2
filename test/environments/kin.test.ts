// Whose each process is.
import t from 'tap'
import { kinOf } from '../../src/platform/programs/process-kin.ts'

const watched = new Map([10, 20].map(pid => [pid, undefined]))
const kin = (...processes: [pid: number, parent: number, group: number][]) =>
  Object.fromEntries(
    kinOf(
      processes.map(([pid, parent, group]) => ({ pid, parent, group })),
      watched,
    ),
  )

t.test('a process is with the nearest watched one that it descends from, whatever its group', t => {
  t.same(
    kin([10, 1, 10], [11, 10, 10], [12, 11, 12], [13, 12, 13], [20, 10, 20], [21, 20, 10], [30, 1, 30]),
    {
      10: 10,
      11: 10,
      12: 10,
      13: 10,
      20: 20,
      21: 20,
    },
  )
  t.end()
})

t.test('an orphan is with those of its group', t => {
  t.same(kin([10, 1, 10], [11, 1, 10], [12, 10, 12], [13, 1, 12], [14, 13, 14], [40, 1, 40]), {
    10: 10,
    11: 10,
    12: 10,
    13: 10,
  })
  t.end()
})

t.test('a child that is listed before its parent, and parents in a circle, are no trouble', t => {
  t.same(kin([12, 11, 12], [11, 10, 11], [10, 1, 10], [50, 51, 50], [51, 50, 51]), { 10: 10, 11: 10, 12: 10 })
  t.end()
})

t.test('a line of ancestors may be as long as it likes', t => {
  const line = Array.from({ length: 100_000 }, (_, n): [number, number, number] => [100 + n, 99 + n, 1])
  t.equal(kin([10, 1, 10], [99, 10, 99], ...line.reverse())[100_099], 10)
  t.end()
})
