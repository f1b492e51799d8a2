// What a node has for its operator: what it says about itself and the other nodes, and the orders that it obeys.
import type { ClusterKeys } from '../cluster/cluster-key.ts'
import type { Conditions } from '../cluster/conditions.ts'
import { createAskNode } from '../cluster/gateway/ask-node.ts'
import { createHops } from '../cluster/gateway/hop.ts'
import type { Lease } from '../cluster/lease.ts'
import type { OtherLog } from '../cluster/replica/longest.ts'
import { createSeenNodes, type SeenNode } from '../cluster/seen-nodes.ts'
import type { NodeStatus } from '../cluster/survey.ts'
import type { Report, World } from '../contract/ports.ts'
import { version } from '../platform/version.ts'
import type { NodeState } from '../shard/doors.ts'
import { createDraining } from './draining.ts'
import { createOrders } from './orders.ts'
import { type Answered, createOtherNodes } from './other-nodes.ts'
import type { Self } from './self.ts'
import type { Standby } from './standby.ts'
import type { NodeStorage } from './storage.ts'

type Deps = {
  node: { name: string; url: string }
  /** The file of the nodes that were seen. */
  file: string
  clusterKeys: Pick<ClusterKeys, 'hops'>
  self: Self
  lease: Pick<Lease, 'isMine' | 'holder'>
  storage: Pick<NodeStorage, 'replica'>
  standby: Pick<Standby, 'isReady'>
  conditions: Conditions
  world: World
  /** Called when the node must look at its role again. */
  changed(): void
  report: Report
}

/** Conditions of a node that takes the log over only after another one has claimed it, or never. */
const unable = new Set(['log-differs', 'records-sealed'])

/** What a node has said of its log. Nothing: it has another log, or could not go on with this one. */
const logOf =
  (logId: string) =>
  ({ node, status }: Answered): OtherLog[] => {
    if (status === undefined) return [{ node }]
    if (status.log_id !== logId || status.conditions.some(({ code }) => unable.has(code))) return []
    return [{ node, events: status.events }]
  }

export const openOperator = (deps: Deps) => {
  const { node, file, clusterKeys, self, lease, storage, standby, conditions, world, changed, report } = deps
  const { clock, timers } = world
  const { caughtUp, events, owner } = storage.replica
  const seen = createSeenNodes({ file, name: node.name, clock })
  const named = (): SeenNode[] => {
    const holder = lease.holder()
    const claim = owner()
    return [
      { node: node.name, url: node.url, seenAt: clock.now() }, // for the file, which commands read
      ...(holder === undefined ? [] : [{ node: holder.name, url: holder.url, seenAt: clock.now() }]),
      ...(claim === undefined ? [] : [{ node: claim.node, url: claim.url, seenAt: 0 }]),
    ]
  }
  const others = createOtherNodes({
    ...{ name: node.name, seen, named, changed, world },
    ask: createAskNode(createHops({ key: clusterKeys.hops, node: node.name, world })),
    sequence: () => caughtUp().sequence,
  })
  const isOwner = () => self.owned() !== undefined || lease.isMine()
  const draining = createDraining({
    node: node.name,
    ...{ others, isOwner, conditions, timers, changed, report },
    hasSuccessor: self.hasSuccessor,
  })
  const state: NodeState = {
    ...self.state,
    counts: () => ({ ...self.state.counts(), behind: others.behind() }),
  }
  return {
    /** What the node says of itself to its metrics and clients. */
    state,
    isDrained: draining.isDrained,
    /** Whether another node is ready to take over. */
    hasReadyStandby: others.hasReady,
    /** The logs of the other nodes. */
    logs: (): OtherLog[] => others.heard().flatMap(logOf(storage.replica.logId)),
    order: createOrders({ draining, others }),
    /** Notes a node that asks this one for keys. */
    note: (one: { node: string; url: string }): void => seen.note({ ...one, seenAt: clock.now() }),
    /** The answer to `GET /cluster/status`. */
    about(): NodeStatus {
      const { sequence, lag } = self.state.counts()
      return {
        url: node.url,
        ...self.state.inCluster(),
        ready: self.owned() === undefined ? standby.isReady() : lease.isMine(),
        ...{ sequence, lag, version },
        position: caughtUp().position,
        events: events(),
        log_id: storage.replica.logId,
        time: clock.now(),
        nodes: others.all(),
      }
    },
    close: others.stop,
  }
}
export type Operator = ReturnType<typeof openOperator>
