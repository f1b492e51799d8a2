// Two NATS servers lose the snapshot of what they know of all streams, and go on with what they have learned since then: the
// streams stay without a leader for ever, although all servers run. And the way out, as docs/cluster.md says it.
import path from 'node:path'
import { statesOfCopies } from '../../src/cluster/nats/monitors.ts'
import { unledStreams } from '../../src/cluster/nats/unled.ts'
import type { Cluster } from '../support/cluster.ts'
import type { Node } from '../support/cluster-node.ts'
import { pause } from '../support/http.ts'
import { type Place, until } from '../support/nats-cluster.ts'
import { hasSnapshot, loseSnapshot } from '../support/nats-stores.ts'
import { runReprise } from '../support/server.ts'

const places: Place[] = [0, 1, 2]
const [shard, lease] = ['REPRISE_SHARD_0', 'REPRISE_LEASE_0']
/** A server that has started drops copies of streams that it does not know after half a minute. */
const settledMs = 40_000
/** Milliseconds until a leader notices that it has no majority; and the most until it shows whether the streams have one. */
const [noticedMs, patienceMs] = [15_000, 90_000]
const lookMs = 1000
/** A stream that is made and deleted: all servers learn of both. */
const passing = 'PASSING'

/** Asks a server to say which streams there are. Resolves when it does; NATS may need several tries. */
export const leadAll = ({ nats }: Cluster, place: Place): Promise<unknown> =>
  until(`server ${place} leads all`, async () => {
    const leader = await nats.leaderOfAll()
    if (leader === place) return true
    if (leader === undefined) return false
    const wish = { placement: { preferred: `nats-${place}` } }
    await nats.ask(leader, '$JS.API.META.LEADER.STEPDOWN', wish, 'system')
    await pause(lookMs)
    return (await nats.leaderOfAll()) === place
  })

/** Both servers are started again, as for an upgrade, and make a snapshot then. Later, they lose it with their power. */
export const loseSnapshots = async (cluster: Cluster, hurt: readonly Place[]): Promise<void> => {
  const { nats } = cluster
  for (const place of hurt) {
    await nats.stop(place)
    await nats.start(place)
    await until('a snapshot', () => hasSnapshot(nats.storeOf(place)))
    await nats.leaderOf(shard)
  }
  const settings = {
    name: passing,
    subjects: [passing],
    storage: 'file',
    retention: 'limits',
    num_replicas: 1,
  }
  await until('an entry', () => nats.ask(0, `$JS.API.STREAM.CREATE.${passing}`, settings))
  await until('another one', () => nats.ask(0, `$JS.API.STREAM.DELETE.${passing}`))
  await pause(lookMs)
  await Promise.all(hurt.map(place => nats.kill(place)))
  for (const place of hurt) loseSnapshot(nats.storeOf(place))
  await Promise.all(hurt.map(place => nats.start(place)))
}

/** The end of the longest copy of the lease, which grows with each beat; undefined: no server has a copy. */
const endOfLease = async ({ nats }: Cluster): Promise<number | undefined> => {
  const ends = (await statesOfCopies(nats.monitorUrls, lease)).flatMap(copy =>
    'last' in copy && copy.hasCopy ? [copy.last] : [],
  )
  return ends.length === 0 ? undefined : Math.max(...ends)
}

/** Whether a stream stays without a leader although all servers run. Takes longest when something is wrong. */
export const areUnled = async (cluster: Cluster): Promise<boolean> => {
  const { monitorUrls } = cluster.nats
  await pause(noticedMs)
  let end = await endOfLease(cluster)
  let since: number | undefined
  for (const until = performance.now() + patienceMs; performance.now() < until; ) {
    await pause(lookMs)
    const before = end
    end = await endOfLease(cluster)
    const isUnled = ((await unledStreams(monitorUrls, [shard, lease])) ?? []).length > 0
    if (end === undefined || (!isUnled && before !== undefined && end > before)) return false
    since = isUnled ? (since ?? performance.now()) : undefined
    if (since !== undefined && performance.now() - since > settledMs) return true
  }
  return false
}

/** What an operator types: the variables of a node are set. */
export const command = async ({ nats, folder }: Cluster, { dataDir, url, name }: Node, args: string[]) => {
  const { settings } = await nats.client()
  return runReprise(['cluster', ...args], {
    ...{ CLUSTER_NATS_URL: settings.shown, CLUSTER_KEY_FILE: path.join(folder, 'key') },
    ...{ NATS_USER: 'cluster', NATS_PASSWORD: 'only-for-tests', NATS_MONITOR_URLS: nats.monitorUrls.join() },
    ...{ DATA_DIR: dataDir, NODE_NAME: name, NODE_URL: url, PORT: new URL(url).port },
  })
}

/** Makes the stream of the log again, which the owner fills. */
const makeAgain = (cluster: Cluster, owner: Node): Promise<unknown> =>
  until('the streams', async () => {
    const { code, stderr } = await command(cluster, owner, ['init', '--again'])
    if (code !== 0) throw new Error(stderr)
    return true
  })

/** Stops all servers, empties their stores, starts them, and makes the streams again on the machine of the owner. */
export const emptyStores = async (cluster: Cluster, owner: Node): Promise<void> => {
  const { nats } = cluster
  await Promise.all(places.map(place => nats.kill(place)))
  for (const place of places) nats.wipe(place)
  await Promise.all(places.map(place => nats.start(place)))
  await makeAgain(cluster, owner)
}

/** Milliseconds between the starts of two servers; and the most until the streams have leaders after the last one. */
const [betweenMs, chosenMs] = [5000, 40_000]

/**
 * What the nodes advise for streams without a leader: the servers are started again, one after the other. If that does not help,
 * all stores are emptied.
 */
export const leadAgain = async (cluster: Cluster, owner: Node): Promise<void> => {
  const { nats } = cluster
  for (const place of places) {
    await nats.stop(place)
    await nats.start(place)
    await pause(betweenMs)
  }
  const areLed = async () => (await unledStreams(nats.monitorUrls, [shard, lease]))?.length === 0
  if (await until('leaders', areLed, chosenMs).catch(() => false)) return
  await emptyStores(cluster, owner)
}

/** Whether a node says that no server has a record of the log, so that the stream is to be made again. */
const isLogDamaged = async ({ nodes }: Cluster): Promise<boolean> => {
  const said = await Promise.all(
    nodes.map(({ url }) => fetch(`${url}/readyz`).then(answer => answer.text(), String)),
  )
  return said.some(each => each.includes('"log-damaged"') && each.includes('cluster init --again'))
}

/**
 * Does what the nodes advise. `former`: the node that owned the log before the fault. Resolves to what was done; undefined: they
 * advise nothing.
 */
export const doAsAdvised = async (cluster: Cluster, former: Node): Promise<string | undefined> => {
  if (await isLogDamaged(cluster)) {
    await makeAgain(cluster, await cluster.owner())
    return 'the stream of the log was made again'
  }
  if (!(await areUnled(cluster))) return undefined
  await leadAgain(cluster, former)
  return 'the NATS servers were started again'
}
