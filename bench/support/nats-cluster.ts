// Three nats-servers of this machine that hold a shared log, and nodes over it.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNatsServers } from '../../src/cli/demo/nats-servers.ts'
import type { Beginning } from '../../src/cluster/beginning.ts'
import { readClusterKeys } from '../../src/cluster/cluster-key.ts'
import { createConditions } from '../../src/cluster/conditions.ts'
import { initCluster } from '../../src/cluster/init.ts'
import { openStreamKeys } from '../../src/cluster/keys/stream-keys.ts'
import { openSharedLog } from '../../src/cluster/nats/shared-log.ts'
import { shardStream } from '../../src/cluster/nats/streams.ts'
import { createReplica } from '../../src/cluster/replica.ts'
import { clusterNatsOf } from '../../src/cluster/settings.ts'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import { openLog } from '../../src/log/log.ts'
import { openSecrets } from '../../src/platform/secrets.ts'
import { build } from '../../src/platform/version.ts'
import { realWorld } from '../../src/platform/world.ts'
import { newFolder } from './folder.ts'
import { logFile } from './open-log.ts'
import { type Server, startOurs } from './server.ts'

/** Milliseconds for which new servers may need to agree on a leader, and between two tries. */
const [patienceMs, againMs] = [30_000, 100]

type NodeWish = { dataDir?: string; role?: 'owner' | 'standby' }

/** The role of a node that is ready. A node begins as a standby. */
const roleOf = async ({ url }: Server): Promise<string | undefined> => {
  const answer = await fetch(`${url}/readyz`)
  const { cluster } = (await answer.json()) as { cluster: { role: string } }
  return answer.ok ? cluster.role : undefined
}

/** `log`: a data folder whose log the cluster goes on with; absent: it begins a new one. */
export const startNatsCluster = async (name: string, log?: string) => {
  const folder = newFolder(name)
  const nats = await startNatsServers(folder)
  const keyFile = path.join(folder, 'key')
  const world = realWorld()
  const { timers, ids } = world
  const settings = clusterNatsOf({ NATS_URL: nats.url })
  const logIn = async (dataDir: string): Promise<Beginning> => {
    const store = sqliteStore(logFile(dataDir), () => ids.next('log_'))
    const found = { id: store.logId(), position: store.last()?.position ?? 0 }
    await store.close()
    return found
  }
  const there = log === undefined ? { id: ids.next('log_'), position: 0 } : await logIn(log)
  const { id } = there
  const init = () =>
    initCluster({
      ...{ settings, keyFile, there, timers, report: () => {} },
      ...{ monitorUrls: [], isNew: false, isAgain: false, newId: () => id },
    })
  for (const end = performance.now() + patienceMs; ; await sleep(againMs)) {
    const error = await init().then(
      () => undefined,
      error => error,
    )
    if (error === undefined) break
    if (performance.now() > end) throw error
  }
  return {
    stop: nats.stop,
    /** A node in this process: a log that its owner writes, or a copy that follows. */
    async openReplica(own: string) {
      const dataDir = path.join(folder, own)
      mkdirSync(dataDir)
      const shared = await openSharedLog({ ...shardStream(0), settings, timers, report: () => {} })
      const keys = openStreamKeys(path.join(dataDir, 'stream-keys.db'), world.clock)
      const replica = createReplica({
        ...{ shared, keys, logId: id, timers, mayClaim: () => true, report: () => {} },
        key: readClusterKeys(keyFile).records,
        local: sqliteStore(logFile(dataDir), () => id),
        secrets: openSecrets(path.join(dataDir, 'secrets.db')),
        stateFile: path.join(dataDir, 'cluster.json'),
        node: { name: own, url: `http://${own}` },
        conditions: createConditions({ ...world, report: () => {} }),
      })
      return { replica, keys, openLog: () => openLog(replica.store, { ...world, build }) }
    },
    /** Starts a node as a process of its own. Resolves when it is ready, and plays this role if one is named. */
    async startNode(own: string, { dataDir = path.join(folder, own), role }: NodeWish = {}): Promise<Server> {
      const began = performance.now()
      // Without NATS_URL it sends no public events to NATS, as the one machine that it is compared with.
      const env = {
        ...{ CLUSTER: '1', NODE_NAME: own, CLUSTER_KEY_FILE: keyFile, CLUSTER_NATS_URL: nats.url },
        CLUSTER_ACCEPT_UNSYNCED: '1',
      }
      const node = await startOurs(dataDir, [], env)
      while (role !== undefined && (await roleOf(node)) !== role) await sleep(5)
      return { ...node, readyAfter: performance.now() - began }
    },
  }
}
export type NatsCluster = Awaited<ReturnType<typeof startNatsCluster>>
