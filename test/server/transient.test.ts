// Collections for entries that come and go: they are what a Map and a list are, and they do not keep what was removed.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { Members, TransientMap } from '../../src/platform/transient.ts'
import fc from '../support/fast-check.ts'

const key = fc.integer({ min: 0, max: 9 })
const move = fc.oneof(
  fc.record({ does: fc.constant('set' as const), key, value: fc.integer() }),
  fc.record({ does: fc.constant('delete' as const), key }),
  fc.record({ does: fc.constant('clear' as const) }),
)

t.test('after any moves, a transient map holds what a Map holds, in the same order', t => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60 }), moves => {
      const [map, expected] = [new TransientMap<number, number>(), new Map<number, number>()]
      for (const one of moves) {
        if (one.does === 'clear') for (const each of [map, expected]) each.clear()
        else if (one.does === 'set') for (const each of [map, expected]) each.set(one.key, one.value)
        else t.equal(map.delete(one.key), expected.delete(one.key))
        t.equal(map.size, expected.size)
        t.same([...map], [...expected])
      }
      t.same([...map.keys()], [...expected.keys()])
      t.same([...map.values()], [...expected.values()])
      for (let n = 0; n < 10; n++) {
        t.equal(map.has(n), expected.has(n))
        t.equal(map.get(n), expected.get(n))
      }
    }),
    { numRuns: 30 },
  )
  t.end()
})

t.test('members keep their order, and each leaves once', t => {
  const members = new Members<string>()
  const [leaveAnn] = ['ann', 'bob', 'ann'].map(name => members.join(name))
  t.same([...members], ['ann', 'bob', 'ann'], 'the same member may join twice')
  leaveAnn?.()
  leaveAnn?.()
  t.same([...members], ['bob', 'ann'])
  t.equal(members.size, 2)
  t.end()
})

t.test('a member that leaves while all are visited is not visited any more', t => {
  const members = new Members<string>()
  const leaves = ['ann', 'bob', 'cid'].map(name => members.join(name))
  const seen: string[] = []
  for (const member of members) {
    seen.push(member)
    leaves[1]?.()
  }
  t.same(seen, ['ann', 'cid'])
  t.end()
})

t.test('a map that is cleared while it is visited ends the visit', t => {
  const map = new TransientMap<string, number>()
  for (const [n, name] of ['ann', 'bob', 'cid'].entries()) map.set(name, n)
  const seen: number[] = []
  for (const value of map.values()) {
    seen.push(value)
    map.clear()
  }
  t.same(seen, [0])
  t.equal(map.size, 0)
  t.end()
})

t.test('a collection of young objects frees what was removed, however many entries came and went', t => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void
  const entryBytes = 8 * 1024
  const rounds = 10_000
  const map = new TransientMap<number, number[]>()
  collect()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < rounds; n++) {
    map.set(n, new Array(entryBytes / 8).fill(n))
    map.delete(n - 30)
    if (n % 100 === 0) collect({ type: 'minor' })
  }
  collect({ type: 'minor' })
  const grown = process.memoryUsage().heapUsed - before
  t.ok(grown < (rounds * entryBytes) / 16, `${grown} bytes of ${rounds * entryBytes} are still held`)
  t.equal(map.size, 30)
  t.end()
})
