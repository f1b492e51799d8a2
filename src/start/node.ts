// Starts a node of a cluster: it holds its data folder, follows the shared log, and listens. While it owns the log, it
// answers requests itself; otherwise it sends them on to the owner.

import { readClusterKeys } from '../cluster/cluster-key.ts'
import { createConditions } from '../cluster/conditions.ts'
import { openLease } from '../cluster/lease.ts'
import { watchStreams } from '../cluster/nats/watch-streams.ts'
import { createNeighbours } from '../cluster/neighbours.ts'
import type { ClusterSettings } from '../cluster/settings.ts'
import { watchLeaders } from '../cluster/watch-leaders.ts'
import { mustNameMonitors, watchSync } from '../cluster/watch-sync.ts'
import type { Config } from '../config.ts'
import type { Report } from '../contract/ports.ts'
import { checkPort } from '../http/server/port.ts'
import { type Closers, createClosers } from '../node/closers.ts'
import { openGateway } from '../node/gateway.ts'
import { introduce, join } from '../node/join.ts'
import { openOperator } from '../node/operator.ts'
import { createRoleLines } from '../node/role-lines.ts'
import { runRoles } from '../node/roles.ts'
import { createSelf } from '../node/self.ts'
import { type OwnedShard, openOwnedShard } from '../node/shard-owner.ts'
import { createSignal } from '../node/signal.ts'
import { createStandby } from '../node/standby.ts'
import { openNodeStorage } from '../node/storage.ts'
import { startWatch } from '../node/watch.ts'
import { filesOf, removeServerFile, runningAt, writeServerFile } from '../platform/files/data-folder.ts'
import { bytesLeft } from '../platform/files/disk-space.ts'
import { realWorld } from '../platform/world.ts'
import { holdFolder } from '../shard/opening/open-folder.ts'
import { openInspector } from './inspector.ts'

/** Milliseconds that running steps have to finish when an owner gives the log to another node. */
const handOverMs = 2000
/** A node that gives up the log waits until the standby has the used keys, for at most this many milliseconds. */
const keysMs = 2000
/** A node that stops waits for another owner, to send it the held requests, for at most this many milliseconds. */
const successorMs = 3000

/** Milliseconds between two checks of a condition in `within`. */
const lookMs = 20

/** Resolves when `isSo` returns true, or after `ms` milliseconds. */
const within = async (ms: number, isSo: () => boolean): Promise<void> => {
  const until = performance.now() + ms
  while (!isSo() && performance.now() < until) await new Promise(resolve => setTimeout(resolve, lookMs))
}

const opened = async (
  config: Config,
  settings: ClusterSettings,
  closers: Closers,
  report: Report,
  leaseOf: typeof openLease,
) => {
  mustNameMonitors(settings)
  const clusterKeys = readClusterKeys(settings.keyFile)
  await checkPort(config.host, config.port)
  const node = { name: settings.node, url: settings.url }
  const inspector = await openInspector(config, report)
  if (inspector !== undefined) closers.add(inspector.close)
  closers.add(holdFolder(config))

  const world = realWorld()
  const { timers } = world
  const change = createSignal()
  const conditions = createConditions({ ...world, report })
  const lease = leaseOf({ settings: settings.nats, node, timers, report })
  closers.add(lease.close)
  lease.onChange(change.raise)
  conditions.onChange(change.raise)
  const mayClaim = lease.isMine
  const me = introduce(config, node.name, clusterKeys)
  const neighbours = createNeighbours({ me, conditions, ...world })
  closers.add(neighbours.stop)
  const joining = join({ settings: settings.nats, me, clusterKeys, world })
  joining.catch(() => {}) // the storage may fail first
  const storage = await openNodeStorage({
    config,
    settings,
    clusterKeys,
    world,
    closers,
    node,
    mayClaim,
    conditions,
    report,
  })
  closers.add(await watchSync({ settings, conditions, timers }))
  await joining
  const { replica } = storage
  let isFenced = false
  replica.onFenced(() => {
    isFenced = true
    change.raise()
  })
  const files = filesOf(config.dataDir)
  const erasable = {
    roots: { workspace: config.workspaceRoot, rollouts: files.rollouts, logs: files.logs },
    sessionsRoot: files.sessions,
    secrets: storage.secrets,
    listed: files.workers,
  }
  const standby = createStandby({
    ...{ storage, erasable, conditions, world, report },
    file: files.readModels,
  })
  const self = createSelf({ name: node.name, lease, storage, standby, conditions })
  const operator = openOperator({
    ...{ node, clusterKeys, self, lease, storage, standby, conditions, world, report },
    file: files.nodes,
    changed: change.raise,
  })
  closers.add(operator.close)
  replica.compareWith(operator.logs)
  const gateway = await openGateway({
    config,
    node,
    me,
    neighbours,
    clusterKeys,
    storage,
    standby,
    self,
    operator,
    conditions,
    world,
  })
  closers.add(gateway.close)
  const { present } = gateway
  const streams = watchStreams({ settings: settings.nats, shard: 0, timers })
  closers.add(streams.stop)
  const { seen } = streams
  closers.add(watchLeaders({ settings, seen, conditions, timers }))
  const freeBytes = () => bytesLeft(config.dataDir)
  closers.add(
    startWatch({
      name: node.name,
      storage,
      lease,
      seen,
      self,
      present,
      neighbours,
      freeBytes,
      conditions,
      world,
    }),
  )
  lease.onChange(gateway.changed)

  const lines = createRoleLines({ name: node.name, lease, report })
  const stopping = new AbortController()
  const roles = runRoles<OwnedShard>({
    standBy: () => standby.begin(stopping.signal),
    async claim() {
      isFenced = false
      await replica.claim()
    },
    open: () =>
      openOwnedShard({ config, storage, node: operator.state, timers, inspect: inspector?.inspect, report }),
    drain: ({ front }) => front.drain(handOverMs),
    lease: {
      ...lease,
      isTheirs: self.hasSuccessor,
      async release() {
        await within(keysMs, () => storage.keys.isShared(0))
        await lease.release()
      },
    },
    isFenced: () => isFenced,
    mustYield: () =>
      operator.isDrained() ||
      ((conditions.has('storage-fails') || conditions.has('disk-full')) && operator.hasReadyStandby()),
    change: change.wait,
    stopping: stopping.signal,
    pause: ms => new Promise(resolve => void timers.after(ms, resolve)),
    entered(role, owned) {
      self.entered(role, owned)
      lines.entered(role)
      gateway.changed()
    },
    report,
  })
  return { url: gateway.url, node, self, gateway, roles, stopping, change }
}
type Opened = Awaited<ReturnType<typeof opened>>

/** Gives the log to another node, and sends the waiting requests to the next owner. */
const handOver = async ({ self, roles, stopping, change, gateway }: Opened): Promise<void> => {
  await gateway.leave()
  const mayWait = gateway.present().length > 0 || self.hasSuccessor()
  stopping.abort()
  change.raise()
  await roles
  if (mayWait) await within(successorMs, self.hasSuccessor)
  gateway.changed()
}

/**
 * `leaseOf`: opens the lease; tests pass a function that opens an untrustworthy one. Rejects with CannotStart, and with
 * Unknown when NATS is not reached in time.
 */
export const startNode = async (
  config: Config,
  settings: ClusterSettings,
  report: Report,
  leaseOf = openLease,
) => {
  const closers = createClosers()
  const running = await opened(config, settings, closers, report, leaseOf).catch(async error => {
    await closers.close()
    throw error
  })
  const { server } = filesOf(config.dataDir)
  writeServerFile(server, runningAt(running.url, config))
  closers.add(() => removeServerFile(server))
  let stopped: Promise<void> | undefined
  running.roles.catch(() => {}) // the user of `roles` gets the error
  return {
    url: running.url,
    /** Rejects when this node cannot go on: its process must end, and may be started again. */
    roles: running.roles,
    /** The name of this node. */
    name: running.node.name,
    owned: () => running.self.owned()?.front,
    state: running.self.state.inCluster,
    running: () => running.self.owned()?.front.running() ?? 0,
    stop(): Promise<void> {
      stopped ??= handOver(running).then(closers.close)
      return stopped
    },
  }
}
export type ClusterNode = Awaited<ReturnType<typeof startNode>>
