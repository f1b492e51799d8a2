// Erased payloads are nowhere: not in the files of a node, and not in the shared log, whose records stay.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { unpackContent } from '../../src/cluster/records/content.ts'
import { openRecord } from '../../src/cluster/records/form.ts'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import { none } from '../../src/platform/sqlite/checkpoints.ts'
import { openOn, rejection, to } from '../log/support.ts'
import { begun, clusterKey, logId, newFolder, nodeIn, openNode, rowsOf, shareKeys, until } from './support.ts'

const word = 'the-word-to-erase'
const bytesIn = (folder: string): Buffer =>
  Buffer.concat(
    readdirSync(folder, { withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => readFileSync(path.join(folder, entry.name))),
  )
const erasing = (streams: string[], upTo: number) => ({
  ...to('erasures', -1),
  events: [{ type: 'PayloadsErased', schema_version: 1, data: { streams, from: 1, to: upTo } }],
})

t.test(
  'an erasure destroys payloads and their keys on both nodes, and a later node gets the rest',
  async t => {
    const servers = await begun()
    const folder = newFolder(t)
    const one = nodeIn(t, servers, { folder: path.join(folder, 'one') })
    const two = nodeIn(t, servers, { folder: path.join(folder, 'two'), name: 'two' })
    await one.replica.claim()
    const log = await openOn(t, one.replica.store)
    shareKeys(one.keys, two.keys)
    await two.replica.follow()
    await log.append([to('task-a', -1, { word }), to('task-b', -1, { word: 'kept' })])
    await log.append([to('task-a', 0, { long: word.repeat(20_000) })])
    await until(() => two.replica.caughtUp().position === 3)
    const epoch = one.keys.epoch()
    const kept = one.keys.keyOf(epoch, 1)
    t.ok(Buffer.isBuffer(kept))
    t.ok(bytesIn(two.folder).includes(word))
    const [event] = await log.append([erasing(['task-a'], 3)])
    await log.destroy(event?.position ?? 0)
    t.ok(await log.wipe(false))
    await until(() => two.replica.caughtUp().position === 4)
    for (const node of [one, two]) {
      t.notOk(bytesIn(node.folder).includes(word))
      t.notOk(bytesIn(node.folder).includes(kept as Buffer))
      t.equal(node.keys.keyOf(epoch, 1), 'destroyed')
      t.ok(Buffer.isBuffer(node.keys.keyOf(epoch, 2)))
    }
    t.same(rowsOf(two.local), rowsOf(one.local))
    for (const { bytes } of servers.records()) t.notOk(Buffer.from(bytes).includes(word))

    await log.append([to('task-a', 1, { word: 'new' })])
    const three = nodeIn(t, servers, { folder: path.join(folder, 'three'), name: 'three' })
    shareKeys(one.keys, three.keys)
    await three.replica.claim()
    t.same(rowsOf(three.local), rowsOf(one.local))
    t.equal(three.local.erasedBy(1), 4)
  },
)

t.test('traces that a crash has left on a node are removed after its next start', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = nodeIn(t, servers, { folder: path.join(folder, 'one') })
  await one.replica.claim()
  const log = await openOn(t, one.replica.store)
  const two = { folder: path.join(folder, 'two'), name: 'two' }
  const file = () => sqliteStore(path.join(two.folder, 'log.db'), () => logId, [], none)
  mkdirSync(two.folder)
  const held = openNode(servers, { ...two, local: { ...file(), wipe: async () => 'held' } })
  shareKeys(one.keys, held.keys)
  await held.replica.follow()
  await log.append([to('task-a', -1, { word })])
  await log.append([erasing(['task-a'], 1)])
  await until(() => held.replica.caughtUp().position === 2)
  await held.close()

  const local = file()
  const wiped: boolean[] = []
  const wipe = (isAll: boolean) => {
    wiped.push(isAll)
    return local.wipe(isAll)
  }
  const again = nodeIn(t, servers, { ...two, local: { ...local, wipe } })
  await again.replica.follow()
  await until(() => wiped.includes(true))
  t.pass('all pages were wiped')
})

t.test('a node may not claim a log whose servers have lost an erasure', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = nodeIn(t, servers, { folder: path.join(folder, 'one') })
  await one.replica.claim()
  const log = await openOn(t, one.replica.store)
  await log.append([to('task-a', -1, { word })])
  const before = servers.records().length
  const [event] = await log.append([erasing(['task-a'], 1)])
  await log.destroy(event?.position ?? 0)
  t.ok(await log.wipe(false))
  servers.loseBehind(before)
  const two = nodeIn(t, servers, { folder: path.join(folder, 'two'), name: 'two' })
  shareKeys(one.keys, two.keys)
  t.match(await rejection(two.replica.claim()), {
    message: '1 events came without a payload, and the shared log has lost the erasure',
  })
  await one.replica.claim()
  shareKeys(one.keys, two.keys)
  await two.replica.claim()
  t.same(rowsOf(two.local), rowsOf(one.local))
})

t.test('secrets come to the standby before the events that name them, and leave with their key', async t => {
  const servers = await begun()
  const folder = newFolder(t)
  const files = (name: string) => ({ 'file:admin-token': path.join(folder, `${name}-token`) })
  const one = nodeIn(t, servers, { folder: path.join(folder, 'one'), files: files('one') })
  const two = nodeIn(t, servers, { folder: path.join(folder, 'two'), name: 'two', files: files('two') })
  writeFileSync(path.join(folder, 'one-token'), 'of the admin\n')
  await one.replica.claim()
  const log = await openOn(t, one.replica.store)
  shareKeys(one.keys, two.keys)
  one.replica.secrets.put('ref-1', { token: word })
  await log.append([to('task-a', -1, { secret_ref: 'ref-1' })])
  await two.replica.follow()
  await until(() => two.replica.caughtUp().position === 1)
  t.same(two.localSecrets.get('ref-1'), { token: word })
  t.equal(readFileSync(path.join(folder, 'two-token'), 'utf8'), 'of the admin\n')
  const kinds = servers.records().map(record => unpackContent(openRecord(clusterKey, record).content).kind)
  t.same(kinds, ['begin', 'claim', 'secret', 'secret', 'events'])
  const name = one.keys.secret('ref-1')?.name ?? [0, 0]
  one.replica.secrets.forget('ref-1')
  await log.append([to('task-a', 0, { n: 2 })])
  await until(() => two.replica.caughtUp().position === 2)
  for (const node of [one, two]) {
    t.equal(node.localSecrets.get('ref-1'), undefined)
    t.equal(node.keys.keyOf(...name), 'destroyed')
  }
  t.notOk(bytesIn(two.folder).includes(word))
})
