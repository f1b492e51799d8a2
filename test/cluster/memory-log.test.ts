// The shared log in memory: what it promises, and what each of its faults does.
import t from 'tap'
import { createMemoryServers } from '../../src/cluster/memory-log.ts'
import { Fenced, type SharedLog, Unknown } from '../../src/cluster/shared-log.ts'
import { rejection } from '../log/support.ts'
import { settle } from '../support/world.ts'

const bytes = (text: string) => Buffer.from(text)
const textsOf = async (log: SharedLog): Promise<string[]> =>
  (await log.read(0, 1000)).map(record => Buffer.from(record.bytes).toString())

t.test('records stand in order, and each client reads them', async t => {
  const servers = createMemoryServers()
  const [one, other] = [servers.open(), servers.open()]
  await Promise.all([one.append(0, bytes('a')), one.append(1, bytes('b'))])
  await other.append(2, bytes('c'))
  t.same(await textsOf(one), ['a', 'b', 'c'])
  t.equal(await other.tail(), 3)
  t.same(
    (await one.read(1, 1)).map(({ sequence }) => sequence),
    [2],
  )
})

t.test('of two that append at once, one is refused', async t => {
  const servers = createMemoryServers()
  const [one, other] = [servers.open(), servers.open()]
  const [first, second] = await Promise.allSettled([one.append(0, bytes('a')), other.append(0, bytes('b'))])
  t.equal(first.status, 'fulfilled')
  t.ok(second.status === 'rejected' && second.reason instanceof Fenced)
  t.same(await textsOf(one), ['a'])
})

t.test('a refused and a lost append are not stored, and what was sent behind it fails', async t => {
  for (const [fault, error] of [
    ['refused', Fenced],
    ['lost', Unknown],
  ] as const) {
    const servers = createMemoryServers()
    const log = servers.open()
    servers.plan(fault)
    const [first, second] = await Promise.allSettled([log.append(0, bytes('a')), log.append(1, bytes('b'))])
    t.ok(first.status === 'rejected' && first.reason instanceof error)
    t.equal(second.status, 'rejected')
    t.equal(servers.records().length, 0)
    await log.append(0, bytes('again'))
  }
})

t.test('a doubted append is stored, although it fails, and so do those that were sent behind it', async t => {
  const servers = createMemoryServers()
  const log = servers.open()
  servers.plan('doubted')
  const [first, second] = await Promise.allSettled([log.append(0, bytes('a')), log.append(1, bytes('b'))])
  t.ok(first.status === 'rejected' && first.reason instanceof Unknown)
  t.ok(second.status === 'rejected' && second.reason instanceof Unknown)
  t.same(await textsOf(log), ['a', 'b'])
})

t.test('a stray append is stored later, unless another took its place', async t => {
  const servers = createMemoryServers()
  const log = servers.open()
  servers.plan('stray')
  t.ok((await rejection(log.append(0, bytes('a')))) instanceof Unknown)
  t.equal(servers.records().length, 0)
  await settle(40)
  t.same(await textsOf(log), ['a'])
  servers.plan('stray')
  t.ok((await rejection(log.append(1, bytes('b')))) instanceof Unknown)
  await log.append(1, bytes('c'))
  await settle(40)
  t.same(await textsOf(log), ['a', 'c'])
})

t.test('a follower gets old records, then new ones, and no more after its end', async t => {
  const servers = createMemoryServers()
  const log = servers.open()
  await log.append(0, bytes('a'))
  const seen: number[] = []
  const following = servers.open().follow(
    0,
    records => void seen.push(...records.map(({ sequence }) => sequence)),
    error => t.fail(String(error)),
  )
  await settle()
  await log.append(1, bytes('b'))
  await settle()
  t.same(seen, [1, 2])
  await following.stop()
  await log.append(2, bytes('c'))
  await settle()
  t.same(seen, [1, 2])
})

t.test('the error of a handler ends its following', async t => {
  const servers = createMemoryServers()
  const log = servers.open()
  await log.append(0, bytes('a'))
  const failed = await new Promise(resolve => {
    log.follow(0, () => Promise.reject(new Error('no room')), resolve)
  })
  t.match(failed, { message: 'no room' })
})

t.test('readings can miss the newest records, and servers can lose them', async t => {
  let unseen = 1
  const servers = createMemoryServers({ unseen: () => unseen })
  const log = servers.open()
  await Promise.all([log.append(0, bytes('a')), log.append(1, bytes('b'))])
  t.same(await textsOf(log), ['a'])
  unseen = 0
  servers.loseBehind(1)
  t.same(await textsOf(log), ['a'])
  await log.append(1, bytes('c'))
  t.equal(await log.tail(), 2)
})
