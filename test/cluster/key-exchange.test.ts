// How stream keys come from the owner to a standby, and who gets none.
import path from 'node:path'
import tap, { type Test } from 'tap'
import { createConditions } from '../../src/cluster/conditions.ts'
import { createAskNode } from '../../src/cluster/gateway/ask-node.ts'
import { createKeyExchange } from '../../src/cluster/gateway/key-exchange.ts'
import { addLot, type NodeKeys, readLot, type SentKey, writeLot } from '../../src/cluster/gateway/key-lots.ts'
import { aboutQuestion, createNodeRoutes, keysPath } from '../../src/cluster/gateway/node-routes.ts'
import type { Owner } from '../../src/cluster/gateway/route.ts'
import { openLetter, sealLetter } from '../../src/cluster/gateway/sealed-letter.ts'
import type { Introduction } from '../../src/cluster/introduction.ts'
import { openStreamKeys, type StreamKeys } from '../../src/cluster/keys/stream-keys.ts'
import { createNeighbours } from '../../src/cluster/neighbours.ts'
import { freePort } from '../../src/platform/free-port.ts'
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

const introduction = (node: string, more: Partial<Introduction> = {}): Introduction => ({
  node,
  run: `run of ${node}`,
  version: '1.0.0',
  records: 1,
  settings: {},
  ...more,
})

/** What a node knows about others, and the lines of its log. */
const neighbourhood = (t: Test, me: Introduction, changed: () => void) => {
  const lines: string[] = []
  const conditions = createConditions({
    ...world,
    report(_, text) {
      lines.push(text)
      changed()
    },
  })
  const neighbours = createNeighbours({ me, conditions, ...world })
  t.teardown(neighbours.stop)
  return { me, conditions, neighbours, lines }
}

/** An owner with keys, a standby that asks, and a promise for each change. */
const exchangeHere = async (
  t: Test,
  { key = clusterKeys.keys, owns = introduction('a'), asks = introduction('b'), skewMs = 0 } = {},
) => {
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
  const ofOwner = neighbourhood(t, owns, changed)
  const ofStandby = neighbourhood(t, asks, changed)
  const routes = createNodeRoutes({
    keys: ours.keys,
    key: clusterKeys.keys,
    status: () => ({ node: 'a' }),
    answers: answersOf(),
    clock: world.clock,
    ...ofOwner,
  })
  const owner = await nodeHere(t, {
    name: owns.node,
    owner: 'me',
    nodeRoutes: routes.handle,
    clockDiffers: ofOwner.neighbours.untimely,
  })
  const standby = await nodeHere(t, { name: asks.node, owner: { url: owner.url }, skewMs })
  const ask = createAskNode(standby.hops)
  const at: { owner: Owner } = { owner: { url: owner.url } }
  const begin = (me = asks) => {
    const exchange = createKeyExchange({
      ...ofStandby,
      owner: () => at.owner,
      keys: theirs.keys,
      key,
      ask,
      me,
      url: standby.url,
      sequence: () => 41,
      timers: world.timers,
      everyMs: 20,
    })
    t.teardown(exchange.stop)
    return exchange
  }
  return { ours, theirs, owner, standby, routes, ask, ofOwner, ofStandby, at, until, begin }
}

tap.test('a standby gets every key that the owner has, and the owner learns that it has them', async t => {
  const { ours, theirs, routes, standby, until, begin } = await exchangeHere(t)
  ours.make(3, 1, 2500)
  ours.make(9, 1, 1024)
  void begin()
  await until(() => ours.shared.get(9) === 1024 && ours.shared.get(3) === 2500)
  t.same([...theirs.all.values()], [...ours.all.values()])
  t.match(routes.standbys(), [{ node: 'b', url: standby.url, sequence: 41, askedAt: Number }])
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

tap.test('a standby that gets no keys says so once, after a while, and when it is over', async t => {
  const { ours, theirs, ofStandby, until, begin, at } = await exchangeHere(t)
  ours.make(1, 1, 10)
  const there = at.owner
  at.owner = { url: `http://127.0.0.1:${await freePort()}` }
  void begin()
  await until(() => ofStandby.lines.length > 0)
  t.match(ofStandby.conditions.all(), [
    { code: 'keys-missing', text: /the owner at http:\/\/127.0.0.1:\d+ \(connect ECONNREFUSED/ },
  ])
  t.notOk(ofStandby.conditions.areReady())
  at.owner = undefined
  await new Promise(resolve => setTimeout(resolve, 100))
  t.equal(ofStandby.conditions.all().length, 1, 'it still lacks keys when nobody owns the log')
  at.owner = there
  await until(() => ofStandby.lines.length > 1)
  t.match(ofStandby.lines, [/this standby gets no stream keys/, /^over after \d s: this standby gets no/])
  t.equal(theirs.all.size, 10)
  t.ok(ofStandby.conditions.areReady())
})

tap.test('a standby whose owner was lost a moment ago has missed no keys', async t => {
  const { ofStandby, begin, at } = await exchangeHere(t)
  at.owner = { url: `http://127.0.0.1:${await freePort()}` }
  void begin()
  await new Promise(resolve => setTimeout(resolve, 2000))
  at.owner = undefined
  await new Promise(resolve => setTimeout(resolve, 4000))
  t.same(ofStandby.lines, [])
})

tap.test('a standby with another cluster key gets nothing', async t => {
  const { ours, theirs, ofStandby, until, begin } = await exchangeHere(t, { key: clusterKeys.hops })
  ours.make(1, 1, 10)
  const exchange = begin()
  await until(() => ofStandby.lines.length > 0)
  await exchange.stop()
  t.equal(theirs.all.size, 0)
  t.equal(ours.shared.size, 0)
  t.match(ofStandby.lines, [/this standby gets no stream keys .*400 /])
})

tap.test('both sides say whose clock differs, and by how much, and when it is over', async t => {
  for (const [skewMs, words, back] of [
    [60_400, 'is 60 s ahead of', 'is 60 s behind'],
    [-3600_000, 'is 3600 s behind', 'is 3600 s ahead of'],
  ] as const) {
    const { ours, theirs, ofOwner, ofStandby, standby, until, begin } = await exchangeHere(t, { skewMs })
    ours.make(1, 1, 10)
    const exchange = begin()
    await until(() => ofOwner.lines.length > 0 && ofStandby.lines.length > 0)
    t.match(ofOwner.lines, [`the clock of the node b ${words} that of this node, a: set the clocks of both`])
    t.match(ofStandby.lines, [`the clock of the node a ${back} that of this node, b: set the clocks of both`])
    t.match(ofStandby.conditions.all(), [{ code: 'clock-differs' }])
    t.notOk(ofStandby.conditions.areReady())
    t.equal(theirs.all.size, 0)
    standby.setSkew(0)
    await until(() => ofOwner.lines.length > 1 && ofStandby.lines.length > 1)
    t.match([ofOwner.lines[1], ofStandby.lines[1]], [/^over after/, /^over after/])
    t.equal(theirs.all.size, 10)
    await exchange.stop()
  }
})

tap.test('an old question that somebody sends again raises no alarm about clocks', async t => {
  const { ours, ofOwner, until, begin } = await exchangeHere(t)
  void begin()
  await until(() => ours.shared.has(0))
  ofOwner.neighbours.untimely('b', -600_000)
  t.same(ofOwner.lines, [])
})

tap.test('what two nodes have set to different values is named on both, without the values', async t => {
  const owns = introduction('a', { settings: { MAX_STREAMS: 'x', TASK_TTL_PAUSED: 'y', BODY_LIMIT: 'z' } })
  const asks = introduction('b', { settings: { MAX_STREAMS: '1', TASK_TTL_PAUSED: 'y', RETENTION: 'w' } })
  const { ofOwner, ofStandby, until, begin } = await exchangeHere(t, { owns, asks })
  void begin()
  await until(() => ofOwner.lines.length > 0 && ofStandby.lines.length > 0)
  t.same(ofOwner.lines, [
    'the nodes a and b differ in BODY_LIMIT, MAX_STREAMS and RETENTION: set the same value on all nodes',
  ])
  t.match(ofStandby.lines, [/^the nodes b and a differ in BODY_LIMIT, MAX_STREAMS and RETENTION: /])
  t.same(ofOwner.neighbours.differing(), { b: ['BODY_LIMIT', 'MAX_STREAMS', 'RETENTION'] })
  t.ok(ofStandby.conditions.areReady(), 'it could take over')
})

tap.test('versions may differ while nodes are upgraded, but not the form of records', async t => {
  const later = introduction('b', { version: '1.1.0' })
  const one = await exchangeHere(t, { asks: later })
  void one.begin()
  await one.until(() => one.ofStandby.lines.length > 0)
  t.match(one.ofStandby.lines, ['the nodes b and a run different versions of Reprise (1.1.0 and 1.0.0)'])
  t.ok(one.ofStandby.conditions.areReady())

  const other = await exchangeHere(t, { asks: { ...later, records: 2 } })
  void other.begin()
  await other.until(() => other.ofStandby.conditions.all().length > 1)
  t.match(other.ofStandby.conditions.all().at(-1), {
    code: 'settings-clash',
    text: 'the node b (reprise 1.1.0) cannot read the records of the node a (reprise 1.0.0)',
  })
  t.notOk(other.ofStandby.conditions.areReady())
})

tap.test(
  'two values of ADMIN_TOKEN make the standby not ready, and one that is not set only differs',
  async t => {
    const owns = introduction('a', { settings: { ADMIN_TOKEN: 'x' } })
    const one = await exchangeHere(t, { owns, asks: introduction('b', { settings: { ADMIN_TOKEN: 'y' } }) })
    void one.begin()
    await one.until(() => one.ofOwner.lines.length > 0 && one.ofStandby.lines.length > 0)
    t.match(one.ofStandby.conditions.all(), [
      { code: 'settings-clash', text: /^ADMIN_TOKEN of the node b is another/ },
    ])
    t.match(one.ofOwner.lines, [/^ADMIN_TOKEN of the node a is another one than that of the node b/])
    t.notOk(one.ofStandby.conditions.areReady())

    const other = await exchangeHere(t, { owns })
    void other.begin()
    await other.until(() => other.ofStandby.lines.length > 0)
    t.match(other.ofStandby.conditions.all(), [{ code: 'settings-differ', text: / differ in ADMIN_TOKEN: / }])
  },
)

tap.test('a second process with the name of a standby gets no keys, and both nodes say so', async t => {
  const { ours, theirs, routes, ofOwner, ofStandby, until, begin } = await exchangeHere(t)
  void begin()
  await until(() => ours.shared.has(0))
  ours.make(1, 1, 10)
  await until(() => theirs.all.size === 10)
  void begin(introduction('b', { run: 'another run' }))
  await until(() => ofOwner.lines.length > 0 && ofStandby.lines.length > 0)
  const words = 'two processes have the name b: set NODE_NAME of one of them to another name'
  t.match([ofOwner.lines, ofStandby.lines], [[words], [words]])
  t.match(routes.standbys(), [{ node: 'b', run: 'run of b' }])
})

tap.test('a standby that was killed and started again is not taken for two', async t => {
  const { ours, ofOwner, ofStandby, until, begin } = await exchangeHere(t)
  const first = begin()
  await until(() => ours.shared.has(0))
  await first.stop()
  ours.shared.clear()
  void begin(introduction('b', { run: 'next run' }))
  await until(() => ours.shared.has(0))
  await new Promise(resolve => setTimeout(resolve, 3500))
  t.same([ofOwner.lines, ofStandby.lines], [[], []])
})

tap.test('a question that is sent with another signature is not answered', async t => {
  const { ours, ask, owner } = await exchangeHere(t)
  ours.make(1, 1, 10)
  const question = { have: [], url: 'http://b', sequence: 0, from: introduction('b') }
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
