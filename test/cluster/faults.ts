// Faults of a cluster. Each is struck, healed when its effect is there, and followed by the wait for a whole cluster.
import type { Cluster } from '../support/cluster.ts'
import type { Node } from '../support/cluster-node.ts'
import { type Place, until } from '../support/nats-cluster.ts'

/** The most milliseconds of an outage: when a node ends, falls silent, when the engine's leader goes, and else. */
const [killed, silent, engine, slight] = [5000, 7000, 12_000, 2500]

export type Struck = {
  /** Resolves when the fault has had its whole effect. */
  felt(): Promise<unknown>
  heal(): unknown
  /** The node that was struck; undefined: none, or both. */
  struck?: Node
}
/** `limitMs`: the most milliseconds of an outage. */
export type Fault = { name: string; limitMs: number; strike(cluster: Cluster): Promise<Struck> }

const shard = 'REPRISE_SHARD_0'
const lease = 'REPRISE_LEASE_0'

const anotherOwner = (cluster: Cluster, former: Node) => () =>
  until(
    'another owner',
    async () => {
      const standing = await cluster.other(former).standing()
      return standing?.role === 'owner' && standing.isReady
    },
    40_000,
  )
const atOnce = async () => {}

/** A fault of the owner, by which the other node becomes the owner. */
const ofOwner = (
  name: string,
  limitMs: number,
  act: (owner: Node) => unknown,
  heal: (owner: Node) => unknown,
): Fault => ({
  name,
  limitMs,
  async strike(cluster) {
    const owner = await cluster.owner()
    await act(owner)
    return { felt: anotherOwner(cluster, owner), heal: () => heal(owner), struck: owner }
  },
})
const ofStandby = (
  name: string,
  act: (standby: Node) => unknown,
  heal: (standby: Node) => unknown,
): Fault => ({
  name,
  limitMs: slight,
  async strike(cluster) {
    const standby = cluster.other(await cluster.owner())
    await act(standby)
    return { felt: atOnce, heal: () => heal(standby), struck: standby }
  },
})
/** A server that leads neither the log nor the lease. */
const follower = async ({ nats }: Cluster): Promise<Place> => {
  const leaders = await Promise.all([nats.leaderOf(shard), nats.leaderOf(lease)])
  return [0, 1, 2].find(place => !leaders.includes(place)) as Place
}

const ofServer = (
  name: string,
  limitMs: number,
  place: (cluster: Cluster) => Promise<Place>,
  act: 'kill' | 'freeze' | 'isolate',
): Fault => ({
  name,
  limitMs,
  async strike(cluster) {
    const at = await place(cluster)
    const heal = { kill: 'start', freeze: 'thaw', isolate: 'rejoin' } as const
    await cluster.nats[act](at)
    return { felt: atOnce, heal: () => cluster.nats[heal[act]](at) }
  },
})
const leader = ({ nats }: Cluster): Promise<Place> => nats.leaderOf(shard)
const leaderOfLease = ({ nats }: Cluster): Promise<Place> => nats.leaderOf(lease)

export const faults = {
  ownerKilled: ofOwner(
    'owner killed',
    killed,
    owner => owner.kill(),
    owner => owner.start(),
  ),
  ownerFrozen: ofOwner(
    'owner frozen',
    silent,
    owner => owner.freeze(),
    owner => owner.thaw(),
  ),
  ownerCut: ofOwner(
    'owner cut off from NATS',
    silent,
    owner => owner.cutFromNats(),
    owner => owner.healToNats(),
  ),
  ownerSilenced: ofOwner(
    'owner hears nothing of NATS',
    silent,
    owner => owner.silenceNats(),
    owner => owner.speakToNats(),
  ),
  handOver: ofOwner(
    'owner asked to end',
    slight,
    owner => owner.term(),
    owner => owner.start(),
  ),
  standbyKilled: ofStandby(
    'standby killed',
    standby => standby.kill(),
    standby => standby.start(),
  ),
  standbyFrozen: ofStandby(
    'standby frozen',
    standby => standby.freeze(),
    standby => standby.thaw(),
  ),
  standbyCut: ofStandby(
    'standby cut off from NATS',
    standby => standby.cutFromNats(),
    standby => standby.healToNats(),
  ),
  nodesApart: ofStandby(
    'nodes cut off from each other',
    standby => standby.cutFromNode(),
    standby => standby.healToNode(),
  ),
  standbyEmptied: ofStandby(
    'standby killed and its folder removed',
    async standby => {
      await standby.kill()
      standby.wipe()
    },
    standby => standby.start(),
  ),
  leaderKilled: ofServer('NATS leader killed', engine, leader, 'kill'),
  leaseLeaderKilled: ofServer('NATS leader of the lease killed', engine, leaderOfLease, 'kill'),
  leaderFrozen: ofServer('NATS leader frozen', engine, leader, 'freeze'),
  leaderIsolated: ofServer('NATS leader cut off', engine, leader, 'isolate'),
  followerKilled: ofServer('NATS follower killed', slight, follower, 'kill'),
  followerFrozen: ofServer('NATS follower frozen', slight, follower, 'freeze'),
  bothKilled: {
    name: 'both nodes killed',
    limitMs: killed,
    async strike({ nodes }) {
      await Promise.all(nodes.map(node => node.kill()))
      return { felt: atOnce, heal: () => Promise.all(nodes.map(node => node.start())) }
    },
  },
  ownerAndLeader: {
    name: 'owner and NATS leader killed',
    limitMs: engine,
    async strike(cluster) {
      const [owner, place] = [await cluster.owner(), await leader(cluster)]
      await Promise.all([owner.kill(), cluster.nats.kill(place)])
      return {
        felt: anotherOwner(cluster, owner),
        heal: () => Promise.all([owner.start(), cluster.nats.start(place)]),
      }
    },
  },
} satisfies Record<string, Fault>
export type FaultName = keyof typeof faults
