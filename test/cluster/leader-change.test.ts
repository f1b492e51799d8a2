// The NATS server that leads the log is lost. Requests wait until another server leads, and none fails.
import t from 'tap'
import { noNats, startCluster } from '../support/cluster.ts'
import { pause } from '../support/http.ts'
import { adminToken } from '../support/server.ts'

/** Milliseconds that a client waits: longer than a node holds a request. */
const patienceMs = 30_000

t.test('no request fails while the NATS servers choose another leader', { skip: noNats }, async t => {
  const cluster = await startCluster(t, { env: { LOG_LEVEL: 'warn' } })
  const { nats, nodes } = cluster
  await cluster.whole()
  const statuses: number[] = []
  let isOver = false
  const client = async (n: number): Promise<void> => {
    while (!isOver) {
      const answer = await fetch(`${nodes[n % 2]?.url}/v1/tasks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          user_message_content: 'go',
          stream: false,
          agent_config: { agent_id: 'echo' },
        }),
        signal: AbortSignal.timeout(patienceMs),
      })
      statuses.push(answer.status)
      await answer.body?.cancel()
      await pause(50)
    }
  }
  const clients = Array.from({ length: 6 }, (_, n) => client(n))
  await pause(500)
  const before = statuses.length
  const leader = await nats.leaderOf('REPRISE_SHARD_0')
  await nats.kill(leader)
  const during = statuses.length
  while (statuses.length < during + 50) await pause(100)
  isOver = true
  await Promise.all(clients)
  t.ok(before > 0)
  t.same([...new Set(statuses)], [200])
  await nats.start(leader)
})
