// What the shared log lacks comes from the node that claims it: the log of a single machine, and what servers have lost.
import path from 'node:path'
import t from 'tap'
import { beginLog, logIdOf } from '../../src/cluster/beginning.ts'
import { openLog } from '../../src/log/log.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import { openOn, to } from '../log/support.ts'
import { testWorld } from '../support/world.ts'
import {
  begun,
  clusterKey,
  logId,
  memoryNode,
  newFolder,
  nodeIn,
  rowsOf,
  shareKeys,
  until,
} from './support.ts'

const deps = () => ({ ...testWorld(), build: 'test' })

t.test('the log of a single machine is brought in, with its long payloads and its secrets', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = nodeIn(t, servers, { folder })
  const before = openLog(one.local, deps())
  for (let n = 0; n < 300; n++) await before.append([to(`s${n % 7}`, before.revisionOf(`s${n % 7}`), { n })])
  await before.append([to('long', -1, { text: '😀'.repeat(300_000) })])
  one.localSecrets.put('ref-1', { token: 'of the task' })
  await one.replica.claim()
  const two = nodeIn(t, servers, { folder: path.join(folder, 'two'), name: 'two' })
  shareKeys(one.keys, two.keys)
  await two.replica.follow()
  await until(() => two.replica.caughtUp().sequence === one.replica.caughtUp().sequence)
  t.equal(two.replica.caughtUp().position, 301)
  t.same(rowsOf(two.local), rowsOf(one.local))
  t.same(two.localSecrets.get('ref-1'), { token: 'of the task' })
})

t.test('short rows are brought in by few records, and long ones do not make a record too long', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = memoryNode(t, servers, { folder })
  const before = openLog(one.local, deps())
  const texts = (count: number, text: string) => Array.from({ length: count }, (_, n) => ({ n, text }))
  await before.append([to('short', -1, ...texts(2500, 'x'))])
  for (let n = 0; n < 3; n++) {
    await before.append([to(`wide-${n}`, -1, ...texts(40, 'y'.repeat(40_000)))])
    await before.append([to(`long-${n}`, -1, { text: 'z'.repeat(600_000) })])
  }
  const records = servers.records().length
  await one.replica.claim()
  t.ok(servers.records().length - records < 40, `${servers.records().length - records} records`)
  const longest = Math.max(...servers.records().map(({ bytes }) => bytes.length))
  t.ok(longest < 2 << 20, `the longest has ${longest} bytes`)
  const two = memoryNode(t, servers, { folder: path.join(folder, 'two'), name: 'two' })
  shareKeys(one.keys, two.keys)
  await two.replica.follow()
  await until(() => two.replica.caughtUp().position === one.replica.caughtUp().position)
  t.same(rowsOf(two.local), rowsOf(one.local))
})

t.test('what the servers have lost is filled in again by the node that has it', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = memoryNode(t, servers, { folder })
  const two = memoryNode(t, servers, { folder: path.join(folder, 'two'), name: 'two' })
  await one.replica.claim()
  const log = openLog(one.replica.store, deps())
  for (let n = 0; n < 10; n++) await log.append([to('a', n - 1, { n })])
  shareKeys(one.keys, two.keys)
  await two.replica.follow()
  await until(() => two.replica.caughtUp().position === 10)
  servers.loseBehind(6)
  await one.replica.claim()
  const again = openLog(one.replica.store, deps())
  await again.append([to('a', 9, { n: 10 })])
  shareKeys(one.keys, two.keys)
  await until(() => two.replica.caughtUp().position === 11)
  t.same(rowsOf(two.local), rowsOf(one.local))
  const three = memoryNode(t, servers, { folder: path.join(folder, 'three'), name: 'three' })
  shareKeys(one.keys, three.keys)
  await three.replica.follow()
  await until(() => three.replica.caughtUp().position === 11)
  t.same(rowsOf(three.local), rowsOf(one.local))
})

t.test('an owner begins the log again in a stream that somebody has made without it', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = memoryNode(t, servers, { folder })
  await one.replica.claim()
  const log = openLog(one.replica.store, deps())
  await log.append([to('a', -1, { n: 0 })])
  servers.loseBehind(0)
  await t.rejects(log.append([to('a', 0, { n: 1 })]))
  await log.complete()
  await log.append([to('b', -1, { n: 2 })])
  t.equal(await logIdOf(servers.open(), clusterKey), logId)
  const two = memoryNode(t, servers, { folder: path.join(folder, 'two'), name: 'two' })
  shareKeys(one.keys, two.keys)
  await two.replica.follow()
  await until(() => two.local.last()?.position === one.local.last()?.position)
  t.same(rowsOf(two.local), rowsOf(one.local))
})

t.test('two claims at the same place have different keys, so a standby gets the new ones', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = memoryNode(t, servers, { folder })
  await one.replica.claim()
  const log = await openOn(t, one.replica.store)
  await log.append([to('a', -1, { n: 0 })])
  const two = memoryNode(t, servers, { folder: path.join(folder, 'two'), name: 'two' })
  shareKeys(one.keys, two.keys)
  await two.replica.follow()
  await until(() => two.replica.caughtUp().position === 1)
  // Both nodes are down while the servers go back to an earlier state, in which nobody had claimed the log.
  await Promise.all([one.replica.rest(), two.replica.rest()])
  servers.loseBehind(1)
  await one.replica.claim()
  shareKeys(one.keys, two.keys)
  await two.replica.follow()
  const again = openLog(one.replica.store, deps())
  await again.append([to('a', 0, { n: 1 })])
  shareKeys(one.keys, two.keys)
  await until(() => two.replica.caughtUp().position === 2)
  t.same(rowsOf(two.local), rowsOf(one.local))
  await until(() => two.conditions.all().length === 0)
})

t.test('a standby does not wait for the keys of a record that the servers have lost', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = memoryNode(t, servers, { folder })
  const two = memoryNode(t, servers, { folder: path.join(folder, 'two'), name: 'two' })
  await one.replica.claim()
  await openLog(one.replica.store, deps()).append([to('a', -1, { n: 0 })])
  await two.replica.follow()
  await until(() => two.conditions.has('records-sealed'))
  servers.loseBehind(1)
  await one.replica.claim()
  // Nobody gives the keys with which the lost record was sealed.
  const isNew = ({ epoch }: { epoch: number }) => epoch === one.keys.epoch()
  two.keys.store(one.keys.missing([], 1_000_000).filter(isNew))
  await until(() => two.replica.caughtUp().position === 1)
  await until(() => two.conditions.all().length === 0)
  t.same(rowsOf(two.local), rowsOf(one.local))
})

t.test('a standby has caught up when it has what the log had before, although more comes', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = memoryNode(t, servers, { folder })
  let more = 1
  const two = memoryNode(t, servers, {
    folder: path.join(folder, 'two'),
    name: 'two',
    wire: shared => ({ ...shared, tail: async () => (await shared.tail()) + more++ }),
  })
  await one.replica.claim()
  const log = openLog(one.replica.store, deps())
  two.conditions.begin('catching-up', 'as after a fault')
  await two.replica.follow()
  const end = performance.now() + 20_000
  for (let n = 0; two.conditions.has('catching-up'); n++) {
    await log.append([to('a', n - 1, { n })])
    shareKeys(one.keys, two.keys)
    await until(() => two.replica.caughtUp().position === n + 1)
    if (performance.now() > end) throw new Error('it never counts as caught up')
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  t.pass('it could take over')
})

t.test('a standby has caught up with a stream that was made again and has fewer records now', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = memoryNode(t, servers, { folder })
  let isOld = true
  const two = memoryNode(t, servers, {
    folder: path.join(folder, 'two'),
    name: 'two',
    wire: shared => ({ ...shared, tail: async () => (isOld ? 1000 : shared.tail()) }),
  })
  await one.replica.claim()
  await openLog(one.replica.store, deps()).append([to('a', -1, { n: 0 })])
  shareKeys(one.keys, two.keys)
  two.conditions.begin('catching-up', 'as after a fault')
  await two.replica.follow()
  await until(() => two.replica.caughtUp().position === 1)
  await new Promise(resolve => setTimeout(resolve, 1500)) // it has looked where the old stream ends
  t.ok(two.conditions.has('catching-up'))
  isOld = false
  await until(() => !two.conditions.has('catching-up'), 5000)
  t.pass('it could take over')
})

t.test('a node never writes behind the beginning of another log', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = memoryNode(t, servers, { folder })
  const two = memoryNode(t, servers, { folder: path.join(folder, 'two'), name: 'two' })
  await one.replica.claim()
  const log = openLog(one.replica.store, deps())
  await log.append([to('a', -1, { n: 1 })])
  shareKeys(one.keys, two.keys)
  await two.replica.follow()
  await until(() => two.replica.caughtUp().position === 1)
  servers.loseBehind(0)
  await beginLog(servers.open(), clusterKey, { id: 'log_new', position: 0 })
  await t.rejects(log.append([to('a', 0, { n: 2 })]))
  await t.rejects(one.replica.claim())
  t.equal(servers.records().length, 1)
  await until(() => two.conditions.all().some(({ code }) => code === 'log-lost'))
  t.match(
    two.conditions.all().find(({ code }) => code === 'log-lost'),
    { text: /begins another log than that of this node, log_shared/ },
  )
  servers.loseBehind(0)
  await beginLog(servers.open(), clusterKey, { id: logId, position: 0 })
  await one.replica.claim()
  shareKeys(one.keys, two.keys)
  await until(() => two.conditions.all().length === 0 && two.replica.caughtUp().position === 1)
  t.same(rowsOf(two.local), rowsOf(one.local))
})

t.test(
  'a batch that got no answer, and that the servers have lost, is kept by the owner and the standby',
  async t => {
    const servers = await begun()
    const folder = newFolder(t)
    const one = memoryNode(t, servers, { folder })
    const two = memoryNode(t, servers, { folder: path.join(folder, 'two'), name: 'two' })
    await one.replica.claim()
    const log = openLog(one.replica.store, deps())
    await log.append([to('a', -1, { n: 0 })])
    shareKeys(one.keys, two.keys)
    await two.replica.follow()
    await until(() => two.replica.caughtUp().position === 1)
    const end = servers.records().length
    servers.plan('doubted')
    const failed = log.append([to('a', 0, { n: 'no answer' })])
    await t.rejects(failed)
    await until(() => two.replica.caughtUp().position === 2)
    servers.loseBehind(end)
    await log.complete()
    await log.append([to('b', -1, { n: 'later' })])
    shareKeys(one.keys, two.keys)
    await until(() => two.replica.caughtUp().position === 3)
    t.same(rowsOf(two.local), rowsOf(one.local))
    t.same(
      rowsOf(one.local).map(({ stream }) => stream),
      ['a', 'a', 'b'],
    )
  },
)

t.test('a node that has other events than the shared log says so, and changes nothing', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = memoryNode(t, servers, { folder })
  await one.replica.claim()
  const log = await openOn(t, one.replica.store)
  await log.append([to('a', -1, { n: 1 })])
  const local = memoryStore(logId)
  const own = openLog(local, deps())
  await own.append([to('mine', -1, { n: 1 })])
  const two = memoryNode(t, servers, { folder: path.join(folder, 'two'), name: 'two', local })
  shareKeys(one.keys, two.keys)
  await two.replica.follow()
  await until(() => two.conditions.all().length > 0)
  t.match(two.conditions.all(), [
    { code: 'log-differs', text: /another event than the shared log at position 1. Nothing was changed/ },
  ])
  t.equal(rowsOf(local)[0]?.stream, 'mine')
})

t.test('a node that has more events than the owner says so', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const local = memoryStore(logId)
  await openLog(local, deps()).append([to('mine', -1, { n: 1 })])
  const one = memoryNode(t, servers, { folder })
  await one.replica.claim()
  const two = memoryNode(t, servers, { folder: path.join(folder, 'two'), name: 'two', local })
  await two.replica.follow()
  await until(() => two.conditions.all().length > 0)
  t.match(two.conditions.all(), [{ code: 'events-unshared', text: /has 1 events that one, which owns/ }])
  t.notOk(two.conditions.areBarred())
  await two.replica.claim()
  t.equal(rowsOf(two.local)[0]?.stream, 'mine')
  t.same(two.conditions.all(), [], 'it has brought them into the shared log')
  shareKeys(two.keys, one.keys)
  await one.replica.follow()
  await until(() => rowsOf(one.local)[0]?.stream === 'mine')
})

t.test('a log with another id is refused', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  t.throws(() => memoryNode(t, servers, { folder, local: memoryStore('log_other') }), {
    message:
      /DATA_DIR has the log log_other with 0 events, and the shared log is log_shared. Nothing was changed/,
  })
})
