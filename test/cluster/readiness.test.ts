// Whether a standby is ready, as a balancer asks it, while a part of a real cluster is away; and what its log says.
import { jetstreamManager } from '@nats-io/jetstream'
import t from 'tap'
import { openServers } from '../../src/cluster/nats/setup.ts'
import { noNats, startCluster, until } from '../support/cluster.ts'
import type { Node } from '../support/cluster-node.ts'

t.setTimeout(180_000)

type Ready = { status: string; cluster: { conditions: { code: string; message: string; since: string }[] } }

const readinessOf = async (node: Node) => {
  const answer = await fetch(`${node.url}/readyz`)
  const { status, cluster } = (await answer.json()) as Ready
  return { code: answer.status, status, codes: cluster.conditions.map(({ code }) => code), cluster }
}
/** Resolves to the readiness as soon as the node names one of these conditions. */
const unready = (node: Node, ...codes: string[]) =>
  until(`${node.name}: ${codes}`, async () => {
    const found = await readinessOf(node)
    return codes.some(code => found.codes.includes(code)) && found
  })
/** The lines of a node about one condition. */
const linesAbout = (node: Node, code: string): string[] =>
  node
    .said()
    .split('\n')
    .filter(line => line.includes(`"condition":"${code}"`))
    .map(line => JSON.parse(line).message)

t.test('a standby is ready only while it could take over', { skip: noNats }, async t => {
  const cluster = await startCluster(t, { env: { LOG_LEVEL: 'info' } })
  const { nats } = cluster
  await cluster.whole()
  const owner = await cluster.owner()
  const standby = cluster.other(owner)
  t.same((await readinessOf(owner)).codes, [])
  t.same((await readinessOf(standby)).codes, [])

  await t.test('it gets no keys', async t => {
    owner.cutFromNode()
    const [found] = await Promise.all([unready(standby, 'keys-missing'), unready(owner, 'no-standby')])
    t.match([found.code, found.status], [503, 'not ready'])
    t.equal((await readinessOf(owner)).code, 200, 'the owner has its log')
    owner.healToNode()
    await cluster.whole()
    await until('the end of both', async () => (await readinessOf(owner)).codes.length === 0)
    t.match(linesAbout(standby, 'keys-missing'), [/^this standby gets no stream keys/, /^over after \d+ s/])
    t.match(linesAbout(owner, 'no-standby'), [/^no other node could take over/, /^over after \d+ s/])
  })

  await t.test('the stream of the lease is gone', async t => {
    const connection = await nats.connected()
    await (await jetstreamManager(connection)).streams.delete('REPRISE_LEASE_0')
    await connection.close()
    for (const node of [standby, owner]) t.match((await unready(node, 'lease-lost')).codes, ['lease-lost'])
    t.equal((await readinessOf(standby)).code, 503)
    t.match(linesAbout(standby, 'lease-lost'), [/have no stream REPRISE_LEASE_0/])
    const servers = await openServers((await nats.client()).settings)
    await servers.setUp(0)
    await servers.close()
    await cluster.whole()
    await until('the line of its end', async () => linesAbout(standby, 'lease-lost').length === 2)
  })

  await t.test('most of the NATS servers are away', async t => {
    const standby = cluster.other(await cluster.owner())
    await Promise.all([nats.kill(0), nats.kill(1)])
    t.equal((await unready(standby, 'servers-away', 'lease-lost')).code, 503)
    await unready(standby, 'servers-away')
    await Promise.all([nats.start(0), nats.start(1)])
    await cluster.whole()
    t.match(linesAbout(standby, 'servers-away'), [
      /^most of the NATS servers that keep the stream REPRISE_SHARD_0/,
      /^over after \d+ s/,
    ])
  })
})
