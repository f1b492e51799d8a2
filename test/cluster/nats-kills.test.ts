// A shared log and a lease on three servers, while rivals append, and while servers are killed and cut off.
import '../support/built.ts'
import t from 'tap'
import { openServers } from '../../src/cluster/nats/setup.ts'
import { openSharedLog } from '../../src/cluster/nats/shared-log.ts'
import { shardStream } from '../../src/cluster/nats/streams.ts'
import { Fenced, type SharedLog, Unknown } from '../../src/cluster/shared-log.ts'
import { realWorld } from '../../src/platform/world.ts'
import { natsCluster, noNats, until } from '../support/nats-cluster.ts'
import { leaseOf, overlaps } from './lease-support.ts'
import { newLog } from './nats-support.ts'

const { timers } = realWorld()
const names = ['REPRISE_SHARD_0', 'REPRISE_LEASE_0']
const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** All records of a log. */
const allOf = async (log: SharedLog): Promise<string[]> => {
  const all: string[] = []
  for (;;) {
    const records = await log.read(all.length, 10_000)
    if (records.length === 0) return all
    all.push(...records.map(({ bytes }) => textOf(bytes)))
  }
}

/** Appends texts without an end, several ahead, and looks for the end after each failure. */
const appending = (log: SharedLog, name: string) => {
  const acknowledged: string[] = []
  const unknown: string[] = []
  let isOver = false
  const run = async (): Promise<void> => {
    for (let n = 0; !isOver; ) {
      const end = await log.tail().catch(() => undefined)
      if (end === undefined) continue
      for (let isGood = true, from = end; isGood && !isOver; from += 4) {
        const texts = [0, 1, 2, 3].map(() => `${name}${n++}`)
        const results = await Promise.allSettled(texts.map((text, i) => log.append(from + i, bytesOf(text))))
        for (const [i, result] of results.entries()) {
          if (result.status === 'fulfilled') acknowledged.push(texts[i] as string)
          else if (result.reason instanceof Unknown) unknown.push(texts[i] as string)
          else if (!(result.reason instanceof Fenced)) throw result.reason
          isGood &&= result.status === 'fulfilled'
        }
      }
    }
  }
  const running = run()
  return {
    acknowledged,
    unknown,
    stop: () => {
      isOver = true
      return running
    },
  }
}

if (noNats) t.plan(0, noNats)
else {
  const cluster = await natsCluster(t)

  t.test('of two rivals for each of 100 places, exactly one wins', async t => {
    const made = await newLog(cluster)
    const [one, two] = [await made.open(t), await made.open(t)]
    const rivals = [one, two].map((log, n) => ({ log, name: `rival ${n}` }))
    const winners: string[] = []
    for (let place = 0; place < 100; place++) {
      const results = await Promise.allSettled(
        rivals.map(({ log, name }) => log.append(place, bytesOf(name))),
      )
      const won = results.flatMap(({ status }, n) => (status === 'fulfilled' ? [rivals[n]?.name ?? ''] : []))
      winners.push(won.join(' and '))
    }
    t.same(await allOf(one), winners)
  })

  t.test('three servers get streams with three copies, once', async t => {
    const servers = await openServers((await cluster.client()).settings)
    t.teardown(() => servers.close())
    t.same(await servers.setUp(0), names)
    t.same(await servers.setUp(0), [])
    const states = await until('copies on all servers', async () => {
      const states = await servers.states(0)
      return (
        states.length === 2 && states.every(({ copies }) => copies.every(copy => copy.isCurrent)) && states
      )
    })
    for (const [n, { name, leader, copies, lastSequence }] of states.entries()) {
      t.equal(name, names[n])
      t.same(copies.map(({ server }) => server).sort(), ['nats-0', 'nats-1', 'nats-2'])
      t.equal(copies[0]?.server, leader)
      t.equal(lastSequence, 0)
    }
    const [first, ...others] = await servers.judge(0)
    t.match(first, { text: cluster.isSynced ? /Set "sync_interval/ : /have version 2\.\d+\.\d+\. Use 2\.12/ })
    t.same(others, [])
  })

  t.test('killing the leader loses no acknowledged record, doubles none, and leaves one holder', async t => {
    const { settings } = await cluster.client()
    const open = async (of = settings) => {
      const log = await openSharedLog({ settings: of, ...shardStream(0), timers, report: () => {} })
      t.teardown(() => log.close())
      return log
    }
    const nodes = [0, 1].map(n =>
      leaseOf(t, { settings, node: { name: `node ${n}`, url: `http://node-${n}` } }),
    )
    for (const node of nodes) node.want(true)
    const seen: { sequence: number; text: string }[] = []
    const follower = (await open((await cluster.client([1, 2, 0])).settings)).follow(
      0,
      records => void seen.push(...records.map(({ sequence, bytes }) => ({ sequence, text: textOf(bytes) }))),
      error => t.fail(String(error)),
    )
    const log = await open()
    const appender = appending(log, 'r')
    await until('a holder and records', () => nodes.some(node => node.isMine()) && seen.length > 50)

    const leader = await cluster.leaderOf(shardStream(0).name)
    await cluster.kill(leader)
    const atKill = appender.acknowledged.length
    await until('records again', () => appender.acknowledged.length > atKill + 50)
    await until('a holder again', () => nodes.some(node => node.isMine()))
    await appender.stop()

    const all = await allOf(log)
    const places = new Map(all.map((text, n) => [text, n]))
    t.equal(places.size, all.length, 'no record is there twice')
    t.same(
      appender.acknowledged.filter(text => !places.has(text)),
      [],
      'each acknowledged record is there',
    )
    const order = appender.acknowledged.map(text => places.get(text) ?? -1)
    t.ok(
      order.every((place, n) => n === 0 || place > (order[n - 1] ?? -1)),
      'in their order',
    )
    const known = new Set([...appender.acknowledged, ...appender.unknown])
    t.same(
      all.filter(text => !known.has(text)),
      [],
    )
    await until('the follower at the end', () => seen.length >= all.length)
    t.same(
      seen,
      all.map((text, n) => ({ sequence: n + 1, text })),
      'the follower has each record once',
    )
    await follower.stop()
    const [first, second] = nodes.map(node => node.holdings.all())
    t.same(overlaps(first ?? [], second ?? []), [])
    await cluster.start(leader)
  })
}
