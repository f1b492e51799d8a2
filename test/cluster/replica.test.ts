// A replica over servers in memory: what the owner writes, what a standby gets, and who may write.
import path from 'node:path'
import t from 'tap'
import { packContent } from '../../src/cluster/records/content.ts'
import { sealRecord } from '../../src/cluster/records/form.ts'
import { LacksKeys } from '../../src/cluster/replica/errors.ts'
import type { SharedRecord } from '../../src/cluster/shared-log.ts'
import { Fenced } from '../../src/cluster/shared-log.ts'
import { StorageFailure } from '../../src/contract/stored.ts'
import { all, dataOf, openOn, rejection, to } from '../log/support.ts'
import { begun, clusterKey, memoryNode, newFolder, nodeIn, rowsOf, shareKeys, until } from './support.ts'

t.test('what the owner writes is in the logs of both nodes, row by row', async t => {
  const servers = await begun()
  const one = nodeIn(t, servers, { folder: newFolder(t) })
  const two = memoryNode(t, servers, { folder: path.join(one.folder, 'two'), name: 'two' })
  t.equal(await one.replica.claim(), 2)
  const log = await openOn(t, one.replica.store)
  shareKeys(one.keys, two.keys)
  await two.replica.follow()
  await log.append([to('a', -1, { n: 1 }, { n: 2 })])
  await Promise.all([
    log.append([to('a', 1, { n: 3 })]),
    log.append([to('b', -1, { long: 'ö'.repeat(600_000) })]),
  ])
  await log.append([to('a', 2, { n: 4 })])
  await until(() => two.replica.caughtUp().position === 5)
  t.same(rowsOf(two.local), rowsOf(one.local))
  t.equal(rowsOf(one.local).length, 5)
  t.match(two.replica.owner(), { node: 'one', url: 'http://one' })
})

t.test('another node takes over, and the first one is refused and follows', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = memoryNode(t, servers, { folder })
  const two = memoryNode(t, servers, { folder: path.join(folder, 'two'), name: 'two' })
  let fenced = 0
  one.replica.onFenced(() => {
    fenced++
  })
  await one.replica.claim()
  const log = await openOn(t, one.replica.store)
  await log.append([to('a', -1, { n: 1 })])
  shareKeys(one.keys, two.keys)
  const epoch = await two.replica.claim()
  t.equal(epoch, 4)
  t.ok((await rejection(log.append([to('a', 0, { n: 2 })]))) instanceof StorageFailure)
  t.equal(fenced, 1)
  const other = await openOn(t, two.replica.store)
  await other.append([to('a', 0, { n: 'of two' })])
  shareKeys(two.keys, one.keys)
  await one.replica.follow()
  await until(() => one.replica.caughtUp().position === 2)
  t.same(rowsOf(one.local), rowsOf(two.local))
  t.same(dataOf(await all(other)), [{ n: 1 }, { n: 'of two' }])
})

t.test('a node rests when the last answer of the log has come and its row is written', async t => {
  const servers = await begun()
  let answer = (): void => {}
  let isHeld = false
  const held = new Promise<void>(resolve => {
    answer = resolve
  })
  const one = memoryNode(t, servers, {
    folder: newFolder(t),
    wire: shared => ({
      ...shared,
      async append(...record) {
        const sequence = await shared.append(...record)
        if (isHeld) await held
        return sequence
      },
    }),
  })
  await one.replica.claim()
  const log = await openOn(t, one.replica.store)
  isHeld = true
  const appended = log.append([to('a', -1, { n: 1 })])
  await until(() => servers.records().length > 2)
  const rested = one.replica.rest().then(() => rowsOf(one.local).length)
  answer()
  t.equal(await rested, 1)
  await appended
})

t.test('a node that lacks keys waits for them as a standby, and may not claim', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = memoryNode(t, servers, { folder })
  const two = memoryNode(t, servers, { folder: path.join(folder, 'two'), name: 'two' })
  await one.replica.claim()
  const log = await openOn(t, one.replica.store)
  await log.append([to('a', -1, { n: 1 })])
  const error = await rejection(two.replica.claim())
  t.ok(error instanceof LacksKeys)
  t.match(error, { count: 1 })
  await two.replica.follow()
  await until(() => two.reports.length > 0)
  t.equal(two.replica.caughtUp().position, 0)
  shareKeys(one.keys, two.keys)
  await until(() => two.replica.caughtUp().position === 1)
  t.same(rowsOf(two.local), rowsOf(one.local))
})

t.test('an append without an answer is there once or not at all, and the log goes on', async t => {
  for (const fault of ['refused', 'lost', 'doubted', 'stray', 'slow'] as const) {
    const servers = await begun()
    const one = nodeIn(t, servers, { folder: newFolder(t) })
    await one.replica.claim()
    const log = await openOn(t, one.replica.store)
    await log.append([to('a', -1, { n: 1 })])
    servers.plan(fault)
    const outcome = await rejection(log.append([to('b', -1, { n: 2 })]))
    t.equal(outcome === undefined, fault === 'slow', fault)
    await log.retry()
    await log.append([to('c', -1, { n: 3 })])
    t.same(
      (await all(log)).map(({ header }) => header.stream).filter(stream => stream !== 'b'),
      ['a', 'c'],
      fault,
    )
    // The owner keeps a batch without an answer, since a standby may have read it.
    t.equal(log.revisionOf('b'), fault === 'refused' ? -1 : 0, fault)
  }
})

t.test('an owner whose records no server stores says so until one does', async t => {
  const servers = await begun()
  const one = memoryNode(t, servers, { folder: newFolder(t) })
  await one.replica.claim()
  const log = await openOn(t, one.replica.store)
  servers.plan(...Array.from({ length: 10 }, () => 'lost' as const))
  await rejection(log.append([to('a', -1, { n: 1 })]))
  await rejection(log.retry())
  await until(() => one.conditions.has('log-unwritten'))
  servers.heal()
  await log.retry()
  t.same(one.conditions.all(), [])
})

t.test('a node that may not claim stays closed until it may', async t => {
  const servers = await begun()
  let mayClaim = false
  const one = memoryNode(t, servers, { folder: newFolder(t), mayClaim: () => mayClaim })
  await one.replica.claim()
  const log = await openOn(t, one.replica.store)
  servers.plan('lost')
  await rejection(log.append([to('a', -1, { n: 1 })]))
  t.ok((await rejection(log.retry())) instanceof StorageFailure)
  mayClaim = true
  await log.retry()
  await log.append([to('a', 0, { n: 2 })])
  t.same(dataOf(await all(log)), [{ n: 1 }, { n: 2 }])
})

t.test(
  'of two nodes that claim at once, the later one is told who was faster, or both stand in order',
  async t => {
    const servers = await begun()
    const folder = newFolder(t)
    const nodes = ['one', 'two', 'three'].map(name =>
      memoryNode(t, servers, { folder: path.join(folder, name), name }),
    )
    const claims = await Promise.allSettled(nodes.map(({ replica }) => replica.claim()))
    const won = claims.filter(({ status }) => status === 'fulfilled')
    t.equal(won.length, 1)
    for (const each of claims) if (each.status === 'rejected') t.ok(each.reason instanceof Fenced)
  },
)

t.test(
  'a standby that reads a log from its beginning again does not count as caught up meanwhile',
  async t => {
    const servers = await begun()
    const folder = newFolder(t)
    const one = memoryNode(t, servers, { folder })
    const hold: { on: boolean; go: () => void } = { on: false, go: () => {} }
    const two = memoryNode(t, servers, {
      folder: path.join(folder, 'two'),
      name: 'two',
      wire: shared => ({
        ...shared,
        follow: (after, handle, failed) =>
          shared.follow(
            after,
            async records => {
              if (hold.on)
                await new Promise<void>(resolve => {
                  hold.go = resolve
                })
              await handle(records)
            },
            failed,
          ),
      }),
    })
    await one.replica.claim()
    const log = await openOn(t, one.replica.store)
    for (let n = 0; n < 5; n++) await log.append([to('a', n - 1, { n })])
    shareKeys(one.keys, two.keys)
    await two.replica.follow()
    const end = servers.records().length
    await until(() => two.replica.caughtUp().sequence === end)
    servers.loseBehind(3)
    hold.on = true
    await one.replica.claim().catch(() => {})
    await until(() => two.replica.caughtUp().sequence < servers.records().length)
    hold.on = false
    hold.go()
    await until(() => two.replica.caughtUp().sequence === servers.records().length)
    t.same(rowsOf(two.local), rowsOf(one.local))
  },
)

t.test(
  'records that the servers have lost are no longer there, although the copy of one server still has them',
  async t => {
    const servers = await begun()
    const folder = newFolder(t)
    const one = memoryNode(t, servers, { folder })
    let lost: SharedRecord | undefined
    const two = memoryNode(t, servers, {
      folder: path.join(folder, 'two'),
      name: 'two',
      wire: shared => ({
        ...shared,
        read: async (after, limit) =>
          lost?.sequence === after + 1 ? [lost] : await shared.read(after, limit),
      }),
    })
    await one.replica.claim()
    const log = await openOn(t, one.replica.store)
    for (let n = 0; n < 5; n++) await log.append([to('a', n - 1, { n })])
    shareKeys(one.keys, two.keys)
    await two.replica.follow()
    await until(() => two.replica.caughtUp().position === 5)
    await one.replica.rest()
    lost = servers.records().at(-1)
    servers.loseBehind((lost?.sequence ?? 0) - 1)
    await one.replica.claim()
    await log.append([to('a', 4, { n: 5 })])
    shareKeys(one.keys, two.keys)
    await until(() => two.replica.caughtUp().position === 6)
    t.same(rowsOf(two.local), rowsOf(one.local))
  },
)

t.test(
  'a record that only the copy of one server has is not passed over: it is read from another one',
  async t => {
    const servers = await begun()
    const folder = newFolder(t)
    const one = memoryNode(t, servers, { folder })
    let wrong: SharedRecord | undefined
    const two = memoryNode(t, servers, {
      folder: path.join(folder, 'two'),
      name: 'two',
      wire: shared => ({
        ...shared,
        follow: (after, handle, failed) =>
          shared.follow(
            after,
            async records => {
              const place = records.findIndex(({ sequence }) => sequence === wrong?.sequence)
              if (wrong === undefined || place < 0) return handle(records)
              const given = records.with(place, wrong)
              wrong = undefined
              await handle(given)
            },
            failed,
          ),
      }),
    })
    await one.replica.claim()
    const log = await openOn(t, one.replica.store)
    await log.append([to('a', -1, { n: 0 })])
    shareKeys(one.keys, two.keys)
    await two.replica.follow()
    await until(() => two.replica.caughtUp().position === 1)
    const facts = { node: 'three', url: 'http://three', position: 0 }
    const { bytes } = sealRecord(
      clusterKey,
      Buffer.alloc(32, 1),
      packContent({ kind: 'claim', facts, parts: [] }),
    )
    wrong = { sequence: servers.records().length + 1, bytes }
    for (let n = 1; n < 5; n++) await log.append([to('a', n - 1, { n })])
    await until(() => two.replica.caughtUp().position === 5)
    t.same(rowsOf(two.local), rowsOf(one.local))
  },
)
