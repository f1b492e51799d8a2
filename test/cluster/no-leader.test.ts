// Streams that never get a leader again, although all NATS servers run: what commands say, and the way out of
// docs/cluster.md. What nodes say meanwhile is in watch-leaders.test.ts, and in the soak test no-leader.
import t from 'tap'
import { unledStreams } from '../../src/cluster/nats/unled.ts'
import { noNats, startCluster, until } from '../support/cluster.ts'
import { usualNats } from '../support/nats-programs.ts'
import { command, emptyStores, loseSnapshots } from './lost-snapshots.ts'

t.setTimeout(200_000)

const shard = 'REPRISE_SHARD_0'
/** Nodes ask servers that cannot sync each record nothing at their monitors. */
const skip = noNats || (usualNats()?.isSafe ? false : 'nats-server is too old to sync each record')
const wayOut =
  /Stop all NATS servers, move the store folder of each aside, and start them\. Then run "reprise cluster init --again" on the machine of the owner/

t.test('two NATS servers have lost their snapshots of all streams', { skip }, async t => {
  const cluster = await startCluster(t, { env: { LOG_LEVEL: 'warn' } })
  const { nats } = cluster
  await cluster.whole()
  const owner = await cluster.owner()
  const task = { user_message_content: 'go', stream: false, agent_config: { agent_id: 'echo' } }
  const created = await owner.api('POST', '/tasks', task)
  const { result } = (await created.json()) as { result: { id: string } }
  const whole = await nats.leaderOf(shard)
  await loseSnapshots(cluster, [(whole + 1) % 3, (whole + 2) % 3])
  await until('that most copies are gone', async () =>
    (await unledStreams(nats.monitorUrls, [shard]))?.some(({ isLost }) => isLost),
  )
  const [wrong, refused] = await Promise.all([
    command(cluster, owner, ['status']),
    command(cluster, owner, ['init', '--again']),
  ])
  t.equal(wrong.code, 1)
  t.match(
    wrong.stdout,
    /the stream REPRISE_SHARD_0 has no leader: all NATS servers run and reach each\s+other/,
  )
  t.equal(refused.code, 2)
  t.match(refused.stderr, wayOut)
  t.match(refused.stderr, /Nothing was changed/)

  await emptyStores(cluster, owner)
  await cluster.whole()
  t.equal((await owner.api('GET', `/tasks/${result.id}`)).status, 200)
})
