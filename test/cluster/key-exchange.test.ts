// How stream keys come from the owner to a standby, and who gets none.
import path from 'node:path'
import tap, { type Test } from 'tap'
import { createAsk } from '../../src/cluster/door/ask-node.ts'
import { createKeyExchange } from '../../src/cluster/door/key-exchange.ts'
import { addLot, type NodeKeys, readLot, type SentKey, writeLot } from '../../src/cluster/door/key-lots.ts'
import { aboutQuestion, createNodeRoutes, keysPath } from '../../src/cluster/door/node-routes.ts'
import { openLetter, sealLetter } from '../../src/cluster/door/sealed-letter.ts'
import { openStreamKeys, type StreamKeys } from '../../src/cluster/keys/stream-keys.ts'
import { answersOf, clusterKeys, moment, nodeHere, world } from './nodes-here.ts'

const keyOf = (epoch: number, n: number): SentKey => ({
  epoch,
  n,
  key: n % 100 === 7 ? null : Buffer.alloc(32, epoch + n),
})

/** Keys in memory. `onChange` is called when another node has some, or has given some. */
const keysHere = (onChange: () => void = () => {}) => {
  const all = new Map<string, SentKey>()
  const shared = new Map<number, number>()
  const sorted = () => [...all.values()].sort((a, b) => a.epoch - b.epoch || a.n - b.n)
  const keys: NodeKeys = {
    have() {
      const upTo = new Map<number, number>()
      for (const { epoch, n } of sorted()) if (n === (upTo.get(epoch) ?? 0) + 1) upTo.set(epoch, n)
      return [...upTo].map(([epoch, last]) => ({ epoch, upTo: last }))
    },
    missing(have, limit) {
      const theirs = new Map(have.map(({ epoch, upTo }) => [epoch, upTo]))
      return sorted()
        .filter(({ epoch, n }) => n > (theirs.get(epoch) ?? 0))
        .slice(0, limit)
    },
    store(given) {
      for (const key of given) all.set(`${key.epoch}/${key.n}`, key)
      onChange()
    },
    shared(epoch, n) {
      shared.set(epoch, n)
      onChange()
    },
  }
  const make = (epoch: number, from: number, to: number) =>
    keys.store(Array.from({ length: to - from + 1 }, (_, i) => keyOf(epoch, from + i)))
  return { keys, all, shared, make }
}

/** An owner with keys, a standby that asks, and a promise for each change. */
const exchangeHere = async (t: Test, { key = clusterKeys.keys } = {}) => {
  let change = moment()
  const changed = () => {
    change.happen()
    change = moment()
  }
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await change.came
  }
  const ours = keysHere(changed)
  const theirs = keysHere(changed)
  const routes = createNodeRoutes({
    keys: ours.keys,
    key: clusterKeys.keys,
    status: () => ({ node: 'a' }),
    answers: answersOf(),
    clock: world.clock,
  })
  const owner = await nodeHere(t, { name: 'a', owner: 'me', nodeRoutes: routes.handle })
  const standby = await nodeHere(t, { name: 'b', owner: { url: owner.url } })
  const ask = createAsk(standby.hops)
  const reports: string[] = []
  const begin = () => {
    const exchange = createKeyExchange({
      owner: () => ({ url: owner.url }),
      keys: theirs.keys,
      key,
      ask,
      node: { name: 'b', url: standby.url },
      timers: world.timers,
      report(_, message, fields) {
        reports.push(`${message}: ${fields?.error}`)
        changed()
      },
      everyMs: 20,
    })
    t.teardown(exchange.stop)
    return exchange
  }
  return { ours, theirs, owner, standby, routes, ask, reports, until, begin }
}

tap.test('a standby gets every key that the owner has, and the owner learns that it has them', async t => {
  const { ours, theirs, routes, standby, until, begin } = await exchangeHere(t)
  ours.make(3, 1, 2500)
  ours.make(9, 1, 1024)
  void begin()
  await until(() => ours.shared.get(9) === 1024 && ours.shared.get(3) === 2500)
  t.same([...theirs.all.values()], [...ours.all.values()])
  t.match(routes.standbys(), [{ node: 'b', url: standby.url, askedAt: Number }])
  ours.make(9, 1025, 2048)
  await until(() => ours.shared.get(9) === 2048)
  t.equal(theirs.all.size, 4548)
})

tap.test('the files of stream keys of two nodes become equal', async t => {
  const folder = t.testdir()
  const files = ['a', 'b'].map(name => openStreamKeys(path.join(folder, name), world.clock))
  const [a, b] = files as [StreamKeys, StreamKeys]
  t.teardown(() => {
    for (const file of files) file.close()
  })
  const [first, second] = [2, 7].map(sequence => a.beginEpoch(sequence)) as [number, number]
  b.store(a.missing([], 700))
  a.destroyKey([first, 3])
  const have = new Map(b.have().map(({ epoch, upTo }) => [epoch, upTo]))
  t.same([...have], [[first, 700]])
  const next = () =>
    a.missing(
      [...have].map(([epoch, upTo]) => ({ epoch, upTo })),
      1024,
    )
  for (let lot = next(); lot.length > 0; lot = next()) {
    b.store(readLot(JSON.parse(JSON.stringify(writeLot(lot)))))
    t.ok(addLot(have, lot))
  }
  t.same(b.have(), a.have())
  t.same(
    [...have],
    [
      [first, 1024],
      [second, 1024],
    ],
  )
  t.same(b.keyOf(second, 1024), a.keyOf(second, 1024))
  t.notOk(addLot(have, a.missing([], 10)))
})

tap.test('a standby without keys is noticed, too', async t => {
  const { ours, routes, until, begin } = await exchangeHere(t)
  void begin()
  await until(() => ours.shared.has(0))
  t.match(routes.standbys(), [{ node: 'b' }])
})

tap.test('a standby with another cluster key gets nothing, and says so once', async t => {
  const { ours, theirs, reports, until, begin } = await exchangeHere(t, { key: clusterKeys.hops })
  ours.make(1, 1, 10)
  const exchange = begin()
  await until(() => reports.length > 0)
  await exchange.stop()
  t.equal(theirs.all.size, 0)
  t.equal(ours.shared.size, 0)
  t.match(reports, [/this standby gets no keys .*: 400 /])
  t.equal(reports.length, 1)
})

tap.test('a question that is sent with another signature is not answered', async t => {
  const { ours, ask, owner } = await exchangeHere(t)
  ours.make(1, 1, 10)
  const question = { have: [], node: 'b', url: 'http://b' }
  const letter = sealLetter(clusterKeys.keys, aboutQuestion('another'), question)
  await t.rejects(ask(owner.url, { method: 'POST', path: keysPath, body: () => letter }), {
    message: /^400 /,
  })
  await t.rejects(ask(owner.url, { method: 'GET', path: keysPath }), { message: /^404 / })
  const { bytes } = await ask(owner.url, { method: 'GET', path: '/cluster/status' })
  t.same(JSON.parse(bytes.toString()), { node: 'a' })
})

tap.test('no byte of a sealed letter can be changed, and it fits one place only', async t => {
  const letter = sealLetter(clusterKeys.keys, 'here', { a: 1 })
  t.same(openLetter(clusterKeys.keys, 'here', letter), { a: 1 })
  t.throws(() => openLetter(clusterKeys.keys, 'there', letter))
  t.throws(() => openLetter(clusterKeys.records, 'here', letter))
  for (let n = 0; n < letter.length; n += 1) {
    const changed = Buffer.from(letter)
    changed[n] = (changed[n] ?? 0) ^ 1
    t.throws(() => openLetter(clusterKeys.keys, 'here', changed))
    t.throws(() => openLetter(clusterKeys.keys, 'here', letter.subarray(0, n)))
  }
})

tap.test('a standby that stops asks no more', async t => {
  const { ours, until, begin } = await exchangeHere(t)
  const exchange = begin()
  await until(() => ours.shared.has(0))
  await exchange.stop()
  ours.shared.clear()
  exchange.changed()
  await new Promise(resolve => setImmediate(resolve))
  t.equal(ours.shared.size, 0)
})
