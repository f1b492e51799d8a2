// The stream of the log is lost while both nodes are down, and made again from the node with fewer events. This one starts
// first, and lets the other one claim the log. And a standby finds a stream that was made again and has grown past its place.
import path from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import t from 'tap'
import { beginLog } from '../../src/cluster/beginning.ts'
import { openOn, to } from '../log/support.ts'
import { noNats, startCluster, until } from '../support/cluster.ts'
import type { Node } from '../support/cluster-node.ts'
import { natsCluster } from '../support/nats-cluster.ts'
import { newLog } from './nats-support.ts'
import { deleteStream, initFrom } from './server-faults.ts'
import { clusterKey, logId, newFolder, nodeIn, rowsOf, shareKeys } from './support.ts'

t.setTimeout(120_000)

const create = async (node: Node): Promise<string> => {
  const answer = await node.api('POST', '/tasks', {
    user_message_content: 'go',
    stream: false,
    agent_config: { agent_id: 'echo' },
  })
  t.equal(answer.status, 200)
  return ((await answer.json()) as { result: { id: string } }).result.id
}

t.test('nothing is lost when the node with fewer events starts first', { skip: noNats }, async t => {
  const cluster = await startCluster(t, { env: { LOG_LEVEL: 'warn' } })
  await cluster.whole()
  const shorter = await cluster.owner()
  const longer = cluster.other(shorter)
  const ids = [await create(shorter)]
  await shorter.kill()
  await until('the next owner', async () => (await longer.standing())?.role === 'owner')
  ids.push(await create(longer))
  await longer.kill()
  await deleteStream(cluster)
  await initFrom(cluster, shorter)

  await shorter.start()
  await until('the wait', async () => shorter.said().includes(`${longer.name} may have more events`))
  await longer.start()
  await cluster.whole()
  t.equal((await longer.standing())?.role, 'owner')
  ids.push(await create(shorter))
  for (const id of ids) t.equal((await shorter.api('GET', `/tasks/${id}`)).status, 200)
})

t.test(
  'a standby reads the new stream from its first record, also when it is longer than what the standby had read',
  { skip: noNats },
  async t => {
    const cluster = await natsCluster(t)
    const log = await newLog(cluster)
    const [forOwner, forStandby] = [await log.open(t), await log.open(t)]
    const beginning = { id: logId, position: 0 }
    await beginLog(forOwner, clusterKey, beginning)
    const folder = newFolder(t)
    const owner = nodeIn(t, { open: () => forOwner }, { folder })
    const inTwo = { folder: path.join(folder, 'two'), name: 'two' }
    const before = nodeIn(t, { open: () => forStandby }, inTwo)
    await owner.replica.claim()
    const events = await openOn(t, owner.replica.store)
    for (let n = 0; n < 10; n++) await events.append([to('a', n - 1, { n })])
    shareKeys(owner.keys, before.keys)
    await before.replica.follow()
    await until('the events', async () => before.replica.caughtUp().position === 10)
    await before.close()

    await owner.replica.rest()
    const connection = await cluster.connected()
    const { streams } = await jetstreamManager(connection)
    const { config } = await streams.info(log.name)
    await streams.delete(log.name)
    await until('the new stream', async () => (await streams.add({ ...config })).created !== '')
    await connection.close()
    await beginLog(forOwner, clusterKey, beginning)
    await owner.replica.claim()
    for (let n = 10; n < 40; n++) await events.append([to('a', n - 1, { n })])

    const after = nodeIn(t, { open: () => forStandby }, inTwo)
    shareKeys(owner.keys, after.keys)
    await after.replica.follow()
    await until('the end of the new stream', async () => after.replica.caughtUp().position === 40)
    t.same(rowsOf(after.local), rowsOf(owner.local))
    t.notOk(after.conditions.has('log-damaged'))
  },
)
