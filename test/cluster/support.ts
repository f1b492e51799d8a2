// What the tests of replicas share: nodes over servers in memory, each with files of its own.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { beginLog } from '../../src/cluster/beginning.ts'
import { createConditions } from '../../src/cluster/conditions.ts'
import { openStreamKeys, type StreamKeys } from '../../src/cluster/keys/stream-keys.ts'
import { createMemoryServers, type MemoryServers } from '../../src/cluster/memory-log.ts'
import type { OtherLog } from '../../src/cluster/replica/longest.ts'
import { createReplica } from '../../src/cluster/replica.ts'
import type { SharedLog } from '../../src/cluster/shared-log.ts'
import type { Report, Timers } from '../../src/contract/ports.ts'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import type { Row, Store } from '../../src/log/store.ts'
import { openSecrets, type Secrets } from '../../src/platform/secrets.ts'
import { none } from '../../src/platform/sqlite/checkpoints.ts'
import { realWorld } from '../../src/platform/world.ts'
import { settle } from '../support/world.ts'

export const clusterKey = Buffer.alloc(32, 7)
export const logId = 'log_shared'

export const begun = async (options?: Parameters<typeof createMemoryServers>[0]): Promise<MemoryServers> => {
  const servers = createMemoryServers(options)
  await beginLog(servers.open(), clusterKey, { id: logId, position: 0 })
  return servers
}

/** A folder that is removed when the test has closed everything. */
export const newFolder = (t: Test): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** What opens clients of a shared log. */
type Servers = Pick<MemoryServers, 'open'>

export type NodeOptions = {
  /** The folder with the files of the node. */
  folder: string
  name?: string
  /** Its log; absent: a file in the folder. */
  local?: Store
  files?: Record<string, string>
  stateFile?: string
  /** What stands between the node and the file of its secrets. */
  guard?: (secrets: Secrets) => Secrets
  mayClaim?: () => boolean
  /** What other nodes say of their logs. */
  others?: () => OtherLog[]
  timers?: Timers
  /** What stands between the node and the servers. */
  wire?: (shared: SharedLog) => SharedLog
}

/** A node whose files can be opened again by another node. */
export const openNode = (servers: Servers, options: NodeOptions) => {
  const {
    folder,
    name = 'one',
    files = {},
    mayClaim = () => true,
    others = () => [],
    wire = each => each,
  } = options
  const world = realWorld()
  mkdirSync(folder, { recursive: true })
  const local = options.local ?? sqliteStore(path.join(folder, 'log.db'), () => logId, [], none)
  const keys = openStreamKeys(path.join(folder, 'stream-keys.db'), world.clock)
  const { guard = each => each } = options
  const secrets = guard(openSecrets(path.join(folder, 'secrets.db')))
  const reports: string[] = []
  const report: Report = (_level, message, fields) =>
    void reports.push(`${message} ${JSON.stringify(fields ?? {})}`)
  const timers = options.timers ?? world.timers
  const conditions = createConditions({ clock: world.clock, timers, report })
  const replica = createReplica({
    ...{
      local,
      shared: wire(servers.open()),
      logId,
      key: clusterKey,
      keys,
      secrets,
      files,
      mayClaim,
      others,
    },
    stateFile: options.stateFile ?? path.join(folder, 'cluster.json'),
    node: { name, url: `http://${name}` },
    ...{ conditions, timers, report },
  })
  let closed: Promise<void> | undefined
  const stop = async () => {
    await replica.stop()
    await local.close().catch(() => {})
    keys.close()
    secrets.close()
  }
  return {
    ...{ replica, local, keys, localSecrets: secrets, conditions, reports, folder },
    close: (): Promise<void> => {
      closed ??= stop()
      return closed
    },
  }
}
export type TestNode = ReturnType<typeof openNode>

export const nodeIn = (t: Test, servers: Servers, options: NodeOptions): TestNode => {
  const node = openNode(servers, options)
  const alive = setInterval(() => {}, 1000) // the timers of a node do not keep the process alive, as servers do
  t.teardown(async () => {
    await node.close()
    clearInterval(alive)
  })
  return node
}

/** A node whose log is in memory. */
export const memoryNode = (t: Test, servers: MemoryServers, options: NodeOptions): TestNode =>
  nodeIn(t, servers, { ...options, local: options.local ?? memoryStore(logId) })

/** Gives a node the keys that another one has, as the nodes do over HTTP. */
export const shareKeys = (from: StreamKeys, to: StreamKeys): void => {
  const keys = from.missing(to.have(), 1_000_000)
  if (keys.length > 0) to.store(keys)
}

export const rowsOf = (store: Store): Row[] => {
  const rows: Row[] = []
  for (let page = store.page(0, 1000); page.length > 0; page = store.page(rows.length, 1000))
    for (const row of page)
      rows.push({ ...row, payload: row.payload ?? store.longPayload(row.position) ?? null })
  return rows
}

/** Waits until something holds. */
export const until = async (holds: () => boolean, ms = 20_000): Promise<void> => {
  for (const end = performance.now() + ms; !holds(); ) {
    if (performance.now() > end) throw new Error('it did not come to pass')
    await settle(1)
  }
}
