// npm run soak -- no-leader: streams that never get a leader again, although all NATS servers run, with both answers of the
// JetStream API, under load: what nodes and commands say, and the way out of docs/cluster.md.
import t from 'tap'
import { startLoad } from '../cluster/cluster-load.ts'
import { verdictOf } from '../cluster/cluster-verdict.ts'
import { command, emptyStores, leadAll, loseSnapshots } from '../cluster/lost-snapshots.ts'
import { noNats, startCluster, until } from '../support/cluster.ts'
import type { Node } from '../support/cluster-node.ts'
import { usualNats } from '../support/nats-programs.ts'

t.setTimeout(280_000)
t.jobs = 2 // they mostly wait

const shard = 'REPRISE_SHARD_0'
/** Nodes ask servers that cannot sync each record nothing at their monitors. */
const skip = noNats || (usualNats()?.isSafe ? false : 'nats-server is too old to sync each record')
const wayOut =
  /Stop all NATS servers, move the store folder of each aside, and start them\. Then run "reprise cluster init --again" on the machine of the owner/

const readinessOf = async (node: Node) => {
  const answer = await fetch(`${node.url}/readyz`)
  const { cluster } = (await answer.json()) as {
    cluster: { conditions: { code: string; message: string }[] }
  }
  return { status: answer.status, conditions: cluster.conditions }
}
const linesAbout = (node: Node, code: string): string[] =>
  node
    .said()
    .split('\n')
    .filter(line => line.includes(`"condition":"${code}"`))
    .map(line => JSON.parse(line).message)

for (const [leads, saysOfApi] of [
  ['the server that has its snapshot', 'the stream has no leader'],
  ['a server that has lost it', 'there is no such stream'],
] as const)
  t.test(
    `two NATS servers have lost their snapshots of all streams, and ${leads} leads all: the API says that ${saysOfApi}`,
    { skip },
    async t => {
      const cluster = await startCluster(t, { env: { LOG_LEVEL: 'warn' } })
      const { nats, nodes } = cluster
      await cluster.whole()
      const load = startLoad({ nodes, callers: 1, everyMs: 50, name: 'unled' })
      t.teardown(() => void load.stop())
      await load.next()
      const owner = await cluster.owner()
      const whole = await nats.leaderOf(shard)
      const hurt = [(whole + 1) % 3, (whole + 2) % 3]
      await loseSnapshots(cluster, hurt)
      await leadAll(cluster, leads.startsWith('the server') ? whole : (hurt[0] as number))

      for (const node of nodes) {
        const { status, conditions } = await until(
          `${node.name}: no-leader`,
          async () => {
            const found = await readinessOf(node)
            return found.conditions.some(({ code }) => code === 'no-leader') && found
          },
          90_000,
        )
        t.equal(status, 503)
        const codes = conditions.map(({ code }) => code)
        for (const code of ['servers-away', 'lease-lost', 'log-lost']) t.notOk(codes.includes(code), code)
        const { message = '' } = conditions.find(({ code }) => code === 'no-leader') ?? {}
        t.match(message, /the stream REPRISE_SHARD_0 has no leader, although all NATS servers run and reach/)
        t.match(message, `nats-${hurt[0]}`)
        t.match(message, `nats-${hurt[1]}`)
        t.match(message, wayOut)
        t.match(linesAbout(node, 'no-leader'), [wayOut])
      }
      const wrong = await command(cluster, owner, ['status'])
      t.equal(wrong.code, 1)
      t.match(
        wrong.stdout,
        /the stream REPRISE_SHARD_0 has no leader: all NATS servers run and reach each\s+other/,
      )
      t.match(wrong.stdout, /\(no-leader\)/)
      const refused = await command(cluster, owner, ['init', '--again'])
      t.equal(refused.code, 2)
      t.match(refused.stderr, wayOut)
      t.match(refused.stderr, /Nothing was changed/)

      await emptyStores(cluster, owner)
      await cluster.whole(120_000)
      await load.next()
      await until('the end of it', async () => linesAbout(owner, 'no-leader').length === 2)
      t.match(linesAbout(owner, 'no-leader')[1], /^over after \d+ s/)
      await until(
        'that a server can be lost',
        async () => (await command(cluster, owner, ['status'])).code === 0,
      )
      await load.stop()
      t.same((await verdictOf(cluster, load, [])).problems, [])
    },
  )
