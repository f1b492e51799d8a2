// The signature of a request from node to node: what is accepted, and what is refused.
import tap from 'tap'
import { clusterKeysOf } from '../../src/cluster/cluster-key.ts'
import { createHops } from '../../src/cluster/gateway/hop.ts'
import { createNonces } from '../../src/cluster/gateway/nonces.ts'
import { realWorld } from '../../src/platform/world.ts'

const { random } = realWorld()
const keyOf = (byte: number) => clusterKeysOf(Buffer.alloc(32, byte)).hops
const start = 1_800_000_000_000
const get = { method: 'GET', path: '/v1/tasks?limit=2' }

/** Two nodes, and clocks that the test sets. */
const twoNodes = (key = keyOf(1)) => {
  const times = { a: start, b: start }
  const nodeOf = (node: 'a' | 'b', itsKey: Buffer) =>
    createHops({ key: itsKey, node, world: { clock: { now: () => times[node] }, random } })
  return { times, a: nodeOf('a', keyOf(1)), b: nodeOf('b', key) }
}

tap.test('a signature is good once, for the request that was signed', async t => {
  const { a, b } = twoNodes()
  const { text, nonce } = a.sign(get)
  t.match(text, /^a 1800000000000 [\w-]{22} [\w-]{43}$/)
  t.same(b.check(get, text), { node: 'a', nonce })
  t.equal(b.check(get, text), 'repeated')
  const other = a.sign(get).text
  t.equal(b.check({ ...get, method: 'POST' }, other), 'forged')
  t.equal(b.check({ ...get, path: '/v1/tasks?limit=3' }, other), 'forged')
  t.match(b.check(get, other), { node: 'a' })
})

tap.test('every changed character makes a signature a forged one', async t => {
  const { a, b } = twoNodes()
  const { text } = a.sign(get)
  for (let n = 0; n < text.length; n += 1) {
    for (const other of ['A', 'b', '0', ' ', '']) {
      const changed = text.slice(0, n) + other + text.slice(n + 1)
      // The last character of base64url has bits that no byte needs.
      if (changed === text || n === text.length - 1) continue
      t.equal(b.check(get, changed), 'forged', changed)
    }
  }
  for (const wrong of ['', 'a', `${text} `, `${text}, ${text}`, `a\n${text}`])
    t.equal(b.check(get, wrong), 'forged')
  t.match(b.check(get, text), { node: 'a' })
})

tap.test('a node with another cluster key signs nothing that is good', async t => {
  const { a, b } = twoNodes(keyOf(2))
  t.equal(b.check(get, a.sign(get).text), 'forged')
  t.equal(a.check(get, b.sign(get).text), 'forged')
})

tap.test('a signature is good for 30 seconds by the clock of the receiver', async t => {
  for (const skew of [30_000, -30_000]) {
    const { a, b, times } = twoNodes()
    const { text, nonce } = a.sign(get)
    times.b = start + skew
    t.same(b.check(get, text), { node: 'a', nonce }, `${skew} ms`)
  }
  for (const skew of [30_001, -30_001]) {
    const { a, b, times } = twoNodes()
    const { text, nonce } = a.sign(get)
    times.b = start + skew
    t.same(b.check(get, text), { node: 'a', nonce, aheadMs: -skew }, 'the difference is told')
  }
})

tap.test('a node tells its time to the node that has asked, and to no other', async t => {
  const { a, b, times } = twoNodes()
  times.b = start + 60_000
  const { nonce } = a.sign(get)
  const told = b.tellTime(nonce)
  t.same(a.timeTold(nonce, told), { node: 'b', aheadMs: 60_000 })
  t.equal(a.timeTold(a.sign(get).nonce, told), undefined)
  t.equal(a.timeTold(nonce, told.replace('b ', 'c ')), undefined)
  t.equal(a.timeTold(nonce, told.replace(/^b 1/, 'b 2')), undefined)
  t.equal(a.timeTold(nonce, ''), undefined)
})

tap.test('a number is remembered for as long as its signature is good', async t => {
  const nonces = createNonces()
  t.equal(nonces.isFirst('early', 30_000, 0), true)
  for (let now = 0; now <= 60_000; now += 1000) {
    nonces.isFirst(`n${now}`, now, now)
    t.equal(nonces.isFirst('early', 30_000, now), false, `after ${now} ms`)
  }
})

tap.test('a full memory forgets old numbers, and then refuses everything that is as old', async t => {
  const nonces = createNonces(100)
  for (let n = 0; n < 250; n += 1) t.equal(nonces.isFirst(`n${n}`, n, n), true)
  for (let n = 0; n < 250; n += 1) t.equal(nonces.isFirst(`n${n}`, n, 250), false)
  t.equal(nonces.isFirst('late', 99, 250), false)
  t.equal(nonces.isFirst('new', 250, 250), true)
})
