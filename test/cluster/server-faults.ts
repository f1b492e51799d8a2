// Faults of the NATS servers that are known from public analyses of JetStream: disks that lose or damage what a server had
// stored, streams that somebody deletes or puts back, and servers that are removed, paused or behind.
import path from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { openServers } from '../../src/cluster/nats/setup.ts'
import type { Cluster } from '../support/cluster.ts'
import type { Node } from '../support/cluster-node.ts'
import { pause } from '../support/http.ts'
import { type Place, until } from '../support/nats-cluster.ts'
import { filesOf, flipBytes } from '../support/nats-stores.ts'
import { runReprise } from '../support/server.ts'
import type { Fault } from './faults.ts'
import { areUnled, emptyStores, leadAgain, loseSnapshots } from './lost-snapshots.ts'
import { filled, notWhole, refill } from './whole-copies.ts'

/** The most milliseconds of an outage, and of one in which NATS fills two copies from the third. */
const [engine, refilling] = [20_000, 90_000]
/** Milliseconds of writing between two moments at which a disk is looked at. */
const writingMs = 1500
/** Milliseconds for which a server is paused. */
const pausedMs = 20_000
/** Milliseconds within which nodes notice that the log has lost records. Only then is it known that they are whole again. */
const noticedMs = 6000
/** A server reads a block from its disk when nobody has asked for it for so many milliseconds. */
const cachedMs = 12_000
/** The most milliseconds until servers have chosen another leader, and until NATS has filled an empty copy. */
const patienceMs = 20_000

const shard = 'REPRISE_SHARD_0'
/** Code of the JetStream API: there is no such stream. */
const noStream = 10059
const places: Place[] = [0, 1, 2]
const atOnce = async () => {}

/** The servers: the leader of the log first. */
const leaderFirst = async ({ nats }: Cluster): Promise<[Place, Place, Place]> => {
  const leader = await nats.leaderOf(shard)
  return [leader, (leader + 1) % 3, (leader + 2) % 3]
}

/**
 * All servers end. What some had on their disks a while ago is what these have now. They start before the others, so that
 * they may lead when they are most.
 */
const rewind = async ({ nats }: Cluster, which: Place[]): Promise<void> => {
  const putBacks = which.map(place => nats.saveStore(place))
  await pause(writingMs)
  await Promise.all(places.map(place => nats.kill(place)))
  for (const putBack of putBacks) putBack()
  await Promise.all(which.map(place => nats.start(place)))
  await nats.leaderOf(shard)
  await Promise.all(places.filter(place => !which.includes(place)).map(place => nats.start(place)))
}

/** Damages files of servers while they are down. */
const damage = async ({ nats }: Cluster, which: Place[], files: RegExp): Promise<void> => {
  await Promise.all(which.map(place => nats.kill(place)))
  for (const place of which)
    if (flipBytes(nats.storeOf(place), files) === 0) throw new Error(`server ${place} has no such files`)
  await Promise.all(which.map(place => nats.start(place)))
}

/** Another server leads the log, since the leader is killed, and started again. Without another leader, it leads again. */
const changeLeader = async ({ nats }: Cluster): Promise<void> => {
  const leader = await nats.leaderOf(shard)
  await nats.kill(leader)
  await until('another leader', async () => (await nats.leaderOf(shard)) !== leader, patienceMs).catch(
    () => {},
  )
  await nats.start(leader)
}
const noticed = () => pause(noticedMs)

/** A server whose log was longer than that of the leaders stays at its own end for ever. */
const refillBehind = async (cluster: Cluster): Promise<void> => {
  await filled(cluster)
  await refill(cluster, await notWhole(cluster))
}

/** A standby that has nothing reads the whole log. */
const emptyStandby = async (cluster: Cluster): Promise<void> => {
  const standby = cluster.other(await cluster.owner())
  await standby.kill()
  standby.wipe()
  await standby.start()
}

/**
 * Damaged servers lead, if NATS lets them, while an emptied standby reads the whole log, perhaps from one of them: NATS lets
 * any server serve a reader. The cluster must be whole before anybody mends the servers.
 */
const damaged = (name: string, files: RegExp, count: 1 | 2): Fault => ({
  name,
  limitMs: count === 1 && files !== filesOf.raft ? engine : refilling,
  async strike(cluster) {
    const [whole, ...followers] = await leaderFirst(cluster)
    const hurt = followers.slice(0, count)
    const owner = await cluster.owner()
    await damage(cluster, hurt, files)
    let isUnled = false
    return {
      async felt() {
        isUnled = files === filesOf.raft && (await areUnled(cluster))
        if (isUnled || (await isGone(cluster))) return noticed()
        for (const place of hurt) await cluster.nats.leadAt(shard, place)
        await emptyStandby(cluster)
        await filled(cluster)
        // Without a whole copy on each server, the loss of the leader would leave no majority that has everything.
        if ((await notWhole(cluster)).length === 0) await changeLeader(cluster)
        await noticed()
        await cluster.whole()
      },
      async heal() {
        if (isUnled) await leadAgain(cluster, owner)
        if (await isGone(cluster)) return initFrom(cluster, owner)
        await cluster.nats.leadAt(shard, whole)
        await refill(cluster, hurt)
      },
    }
  },
})

/** Whether the servers say that there is no such stream: with most of their snapshots damaged, they may drop all streams. */
const isGone = async ({ nats }: Cluster): Promise<boolean> => {
  const connection = await nats.connected()
  try {
    const { streams } = await jetstreamManager(connection, { timeout: 2000, checkAPI: false })
    return await until(
      'an answer about the stream',
      async () => {
        const gone = await streams.info(shard).then(
          () => 'there' as const,
          ({ code }) => code === noStream && ('gone' as const),
        )
        return gone
      },
      patienceMs,
    ).then(answer => answer === 'gone')
  } catch {
    return false
  } finally {
    await connection.close()
  }
}

/** Makes the streams again, as `reprise cluster init` does. */
const makeStreams = async ({ nats }: Cluster): Promise<void> => {
  const { settings } = await nats.client()
  const servers = await openServers(settings)
  await until('the streams', () => servers.setUp(0)).finally(() => servers.close())
}
/** Gives the log its third copy again. NATS does it only when the number of copies changes. */
const threeCopies = async (cluster: Cluster): Promise<void> => {
  const connection = await cluster.nats.connected(await cluster.nats.leaderOf(shard))
  const { streams } = await jetstreamManager(connection)
  for (const num_replicas of [2, 3])
    await until(`${num_replicas} copies`, () => streams.update(shard, { num_replicas }).then(() => true))
  await connection.close()
  await filled(cluster)
}

/** Makes the streams again and begins the log with that of a node which is down, as the documents say. */
export const initFrom = async ({ nats, folder }: Cluster, { dataDir }: Node): Promise<void> => {
  const { settings } = await nats.client()
  const env = {
    ...{ CLUSTER_NATS_URL: settings.shown, CLUSTER_KEY_FILE: path.join(folder, 'key') },
    ...{ NATS_USER: 'cluster', NATS_PASSWORD: 'only-for-tests' },
  }
  const { code, stderr } = await runReprise(['cluster', 'init', '--data', dataDir], env)
  if (code !== 0) throw new Error(stderr)
}
/** Deletes the stream of the log. On a busy machine the servers may need longer than a request waits for its answer. */
export const deleteStream = async (cluster: Cluster): Promise<void> => {
  const { nats } = cluster
  const answer = await nats
    .ask(await nats.leaderOf(shard), `$JS.API.STREAM.DELETE.${shard}`)
    .catch(() => undefined)
  if (answer?.error) throw new Error(answer.error.description)
  if (answer === undefined) await until('the end of the stream', () => isGone(cluster))
}

/** The disk of the leader damages the oldest part of the log, and a standby that has nothing reads from there. */
const rotten: Fault = {
  name: 'oldest block of the running NATS leader damaged, and the standby emptied',
  limitMs: engine,
  async strike(cluster) {
    const { nats } = cluster
    const [leader, other] = await leaderFirst(cluster)
    if (flipBytes(nats.storeOf(leader), filesOf.oldestBlock(shard)) === 0)
      throw new Error('there is no block')
    await pause(cachedMs)
    return {
      async felt() {
        await emptyStandby(cluster)
        await noticed()
        await cluster.whole()
      },
      async heal() {
        await nats.leadAt(shard, other)
        await refill(cluster, [leader])
      },
    }
  },
}

export const serverFaults = {
  powerCut: {
    name: 'power cut of two NATS servers that sync late',
    limitMs: engine,
    async strike(cluster) {
      const [leader, follower] = await leaderFirst(cluster)
      await rewind(cluster, [leader, follower])
      return { felt: noticed, heal: () => refillBehind(cluster) }
    },
  },
  blocksOfOne: damaged('blocks of one NATS server damaged', filesOf.blocks(shard), 1),
  blocksOfTwo: damaged('blocks of two NATS servers damaged', filesOf.blocks(shard), 2),
  raftOfOne: damaged('snapshots of one NATS server damaged', filesOf.raft, 1),
  raftOfTwo: damaged('snapshots of two NATS servers damaged', filesOf.raft, 2),
  snapshotsLost: {
    name: 'two NATS servers lost their snapshots of all streams, and all stores emptied',
    limitMs: refilling,
    async strike(cluster) {
      const [, ...followers] = await leaderFirst(cluster)
      const owner = await cluster.owner()
      await loseSnapshots(cluster, followers)
      return {
        async felt() {
          if (!(await areUnled(cluster))) throw new Error('the streams have a leader')
        },
        heal: () => emptyStores(cluster, owner),
      }
    },
  },
  oldestBlockOfOne: damaged('oldest block of one NATS server damaged', filesOf.oldestBlock(shard), 1),
  oldestBlockOfTwo: damaged('oldest block of two NATS servers damaged', filesOf.oldestBlock(shard), 2),
  oldestBlockOfLeader: rotten,
  followerWiped: {
    name: 'NATS follower wiped, and then the leader killed',
    limitMs: engine,
    async strike(cluster) {
      const [, follower] = await leaderFirst(cluster)
      await cluster.nats.kill(follower)
      cluster.nats.wipe(follower)
      await cluster.nats.start(follower)
      await filled(cluster)
      return { felt: () => changeLeader(cluster), heal: atOnce }
    },
  },
  streamDeleted: {
    name: 'stream of the log deleted, and made again',
    limitMs: engine,
    async strike(cluster) {
      await deleteStream(cluster)
      return { felt: () => pause(writingMs), heal: () => makeStreams(cluster).then(noticed) }
    },
  },
  streamRewound: {
    name: 'all NATS servers put back to an earlier state',
    limitMs: engine,
    async strike(cluster) {
      await rewind(cluster, places)
      return { felt: noticed, heal: () => refillBehind(cluster) }
    },
  },
  streamDeletedWhileNodesDown: {
    name: 'stream of the log deleted while both nodes are down, and made again from a node',
    limitMs: 2 * engine,
    async strike(cluster) {
      const owner = await cluster.owner()
      await Promise.all(cluster.nodes.map(node => node.kill()))
      await deleteStream(cluster)
      return {
        felt: atOnce,
        async heal() {
          await initFrom(cluster, owner)
          await Promise.all(cluster.nodes.map(node => node.start()))
          await noticed()
        },
      }
    },
  },
  peerRemoved: {
    name: 'NATS follower removed from the stream while it is cut off',
    limitMs: engine,
    async strike(cluster) {
      const { nats } = cluster
      const [leader, follower] = await leaderFirst(cluster)
      nats.isolate(follower)
      await pause(writingMs)
      // With three servers, no other one can take its place: NATS says that it fails, and goes on with two copies.
      const isRemoved = async () =>
        (await nats.ask(leader, `$JS.API.STREAM.PEER.REMOVE.${shard}`, { peer: `nats-${follower}` })) !==
        undefined
      await until('the removal', isRemoved)
      return {
        felt: () => pause(writingMs),
        async heal() {
          nats.rejoin(follower)
          await threeCopies(cluster)
        },
      }
    },
  },
  leaderPaused: {
    name: 'NATS leader paused for 20 s',
    limitMs: engine,
    async strike(cluster) {
      const [leader] = await leaderFirst(cluster)
      cluster.nats.freeze(leader)
      return { felt: () => pause(pausedMs), heal: () => cluster.nats.thaw(leader) }
    },
  },
  followerBehind: {
    name: 'NATS follower far behind when the leader is killed',
    limitMs: engine,
    async strike(cluster) {
      const { nats } = cluster
      const [, follower] = await leaderFirst(cluster)
      nats.isolate(follower)
      await pause(3 * writingMs)
      nats.rejoin(follower)
      return { felt: () => changeLeader(cluster), heal: atOnce }
    },
  },
} satisfies Record<string, Fault>
export type ServerFaultName = keyof typeof serverFaults
