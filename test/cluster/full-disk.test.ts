// The disk of the owner is full. The standby takes over, and the former owner comes back when there is room.
import path from 'node:path'
import t from 'tap'
import { noNats, startCluster, until } from '../support/cluster.ts'
import { adminToken } from '../support/server.ts'
import { fillAtRest, free, noMount, smallDisk } from '../support/small-disk.ts'

const create = async (url: string): Promise<number> => {
  const answer = await fetch(`${url}/v1/tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      user_message_content: 'x'.repeat(4000),
      stream: false,
      agent_config: { agent_id: 'echo' },
    }),
    signal: AbortSignal.timeout(20_000),
  })
  await answer.body?.cancel()
  return answer.status
}

t.test('an owner whose disk is full gives the log to the standby', { skip: noNats }, async t => {
  const disk = smallDisk(t, 48)
  if (disk === undefined) return t.plan(0, noMount)
  const cluster = await startCluster(t, { env: { LOG_LEVEL: 'info' } })
  await cluster.whole()
  const small = await cluster.owner()
  const other = cluster.other(small)
  // The first node gets its data on the small disk, and becomes the owner again.
  await small.term()
  await small.start({ DATA_DIR: path.join(disk, 'data') })
  await cluster.whole()
  await other.term()
  await until('the small node owns the log', async () => (await cluster.owner()) === small)
  await other.start()
  await cluster.whole()

  await fillAtRest(disk)
  const statuses = new Set<number>()
  await until(
    'the other node owns the log',
    async () => {
      statuses.add(await create(other.url))
      return (await other.standing())?.role === 'owner'
    },
    40_000,
  ).catch(async error => {
    console.log([...statuses], await (await fetch(`${small.url}/readyz`)).text())
    console.log(small.said().slice(-4000), other.said().slice(-1500))
    throw error
  })
  t.equal(await create(other.url), 200)
  t.equal(await create(small.url), 200)
  const readiness = await fetch(`${small.url}/readyz`)
  t.equal(readiness.status, 503)
  t.match(await readiness.json(), {
    cluster: { owner: other.name, conditions: [{ code: /disk-full|storage-fails/ }] },
  })
  t.match(small.said(), /the disk of this node (takes no writes|has \d+ KiB left)/)

  free(disk)
  await cluster.whole(40_000)
  await other.term()
  t.equal(await create(small.url), 200)
})
