// A cluster of two nodes, each a process, over three real nats-servers, on this machine.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { beginLog } from '../../src/cluster/beginning.ts'
import { makeClusterKey, readClusterKeys } from '../../src/cluster/cluster-key.ts'
import { openServers } from '../../src/cluster/nats/setup.ts'
import { openSharedLog } from '../../src/cluster/nats/shared-log.ts'
import { shardStream } from '../../src/cluster/nats/streams.ts'
import { realWorld } from '../../src/platform/world.ts'
import { createNode, type Node, type Standing } from './cluster-node.ts'
import { type NatsCluster, natsCluster, until } from './nats-cluster.ts'

export { noNats, until } from './nats-cluster.ts'

type Ending = Pick<Test, 'teardown'>

/** Makes the key, the streams and the first record, as an operator does before the first node starts. */
const setUp = async (nats: NatsCluster, keyFile: string): Promise<void> => {
  const { settings } = await nats.client()
  makeClusterKey(keyFile)
  const servers = await openServers(settings)
  await until('the streams of the cluster', () => servers.setUp(0))
  await servers.close()
  const { timers } = realWorld()
  const shared = await openSharedLog({ settings, ...shardStream(0), timers, report: () => {} })
  await beginLog(shared, readClusterKeys(keyFile).records, { id: 'log_test', position: 0 })
  await shared.close()
}

type Wish = {
  /** Further environment variables of the nodes. */
  env?: Record<string, string>
  /** Another program for the first node, which then is the first owner. */
  first?: string[]
  /** Which NATS servers. */
  servers?: Parameters<typeof natsCluster>[1]
}

/** Starts the servers and both nodes. */
export const startCluster = async (t: Ending, { env = {}, first, servers }: Wish = {}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-cluster-'))
  const nodes: Node[] = []
  // What is torn down first was begun last: the nodes end before the servers.
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const nats = await natsCluster(t, servers)
  t.teardown(() => Promise.all(nodes.map(node => node.close())))
  await setUp(nats, path.join(folder, 'key'))
  for (const name of ['a', 'b']) nodes.push(await createNode(name, { nats, folder, env }))
  const standings = async (): Promise<(Standing | undefined)[]> =>
    Promise.all(nodes.map(node => node.standing()))
  /** The node that says that it owns the shard and is ready; undefined: none, or more than one. */
  const ownerNow = async (): Promise<Node | undefined> => {
    const found = await standings()
    const owners = nodes.filter((_, n) => found[n]?.role === 'owner' && found[n]?.isReady)
    return owners.length === 1 ? owners[0] : undefined
  }
  const others = (node: Node) => nodes.filter(other => other !== node)
  if (first !== undefined) {
    await nodes[0]?.start({}, first)
    await until('the first owner', ownerNow)
  }
  await Promise.all(nodes.map(node => node.isRunning() || node.start()))
  return {
    folder,
    nats,
    nodes,
    owner: (ms?: number): Promise<Node> => until('an owner', ownerNow, ms),
    other: (node: Node): Node => others(node)[0] as Node,
    /** Resolves when one node owns the shard, and the other could take over. */
    whole: (ms?: number): Promise<Standing[]> =>
      until(
        'an owner and a standby',
        async () => {
          const found = await standings()
          const roles = found.map(one => (one?.isReady ? one.role : 'away')).sort()
          if (roles.join() === 'owner,standby') return found as Standing[]
          throw new Error(JSON.stringify(found)) // what nodes have said last
        },
        ms,
      ),
  }
}
export type Cluster = Awaited<ReturnType<typeof startCluster>>
