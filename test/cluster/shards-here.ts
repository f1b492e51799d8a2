// Nodes over servers in memory, with data folders as real nodes have them: each can own the shard, with the real routes, or
// follow it. They listen nowhere.

import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import type { MemoryServers } from '../../src/cluster/memory-log.ts'
import { readConfig } from '../../src/config.ts'
import type { Held } from '../../src/node/roles.ts'
import { type OwnedShard, openOwnedShard } from '../../src/node/shard-owner.ts'
import { createStandby } from '../../src/node/standby.ts'
import { sharedFilesOf } from '../../src/node/storage.ts'
import { filesOf } from '../../src/platform/files/data-folder.ts'
import { realWorld } from '../../src/platform/world.ts'
import { type Api, adminToken, apiOf } from '../support/server.ts'
import { nodeHere } from './nodes-here.ts'
import { begun, newFolder, openNode, shareKeys, until } from './support.ts'

const { timers } = realWorld()

export const shardIn = async (t: Test, servers: MemoryServers, folder: string, name: string) => {
  const dataDir = path.join(folder, name)
  mkdirSync(dataDir, { recursive: true })
  const config = readConfig({
    ADMIN_TOKEN: adminToken,
    DATA_DIR: dataDir,
    ENV_UID_BASE: '0',
    PORT: '0',
    WORKSPACE_ROOT: path.join(dataDir, 'workspace'),
  })
  const files = filesOf(dataDir)
  const sharedFiles = sharedFilesOf(config)
  const node = openNode(servers, { folder: dataDir, name, files: sharedFiles, stateFile: files.cluster })
  const storage = { ...node, shared: servers.open(), files: sharedFiles }
  const world = realWorld()
  const report = (_: string, message: string) => void node.reports.push(message)
  const erasable = {
    roots: { workspace: config.workspaceRoot, rollouts: files.rollouts, logs: files.logs },
    sessionsRoot: files.sessions,
    secrets: node.localSecrets,
    listed: files.workers,
  }
  const standby = createStandby({
    ...{ storage, erasable, world, report },
    file: files.readModels,
    conditions: node.conditions,
  })
  const state = {
    inCluster: () => ({ node: name, role: 'owner' as const, owner: name, conditions: [] }),
    counts: () => ({ isOwner: true, sequence: 0, takeovers: 1, lag: 0, isAlone: false, conditions: {} }),
  }
  const gateway = await nodeHere(t, {
    name,
    request: (message, response) => owned?.requests.request(message, response),
  })
  let owned: OwnedShard | undefined
  let held: Held | undefined
  const rest = async (): Promise<void> => {
    await owned?.end()
    await held?.end()
    owned = undefined
    held = undefined
  }
  const closed = async (): Promise<void> => {
    await rest()
    await node.close()
  }
  t.teardown(closed)
  return {
    ...node,
    dataDir,
    files,
    config,
    url: gateway.url,
    api: apiOf(gateway.url) as Api,
    /** Takes the log over, and answers requests. */
    async own(): Promise<void> {
      await rest()
      await node.replica.claim()
      owned = await openOwnedShard({ config, storage, node: state, timers, inspect: undefined, report })
      gateway.become('me')
    },
    /** Gives the log up, and follows it. */
    async follow(owner?: { url: string }): Promise<void> {
      gateway.become(owner)
      await rest()
      held = await standby.begin(new AbortController().signal)
    },
    close: closed,
  }
}
export type ShardNode = Awaited<ReturnType<typeof shardIn>>

/** An owner and a standby, which has the keys of the owner. */
export const pairOfShards = async (t: Test) => {
  const servers = await begun()
  const folder = newFolder(t)
  const one = await shardIn(t, servers, folder, 'one')
  const two = await shardIn(t, servers, folder, 'two')
  const alive = setInterval(() => {
    shareKeys(one.keys, two.keys)
    shareKeys(two.keys, one.keys)
  }, 20)
  t.teardown(() => clearInterval(alive))
  await one.own()
  await two.follow(one)
  return { servers, folder, one, two }
}

/** Resolves when a node has all that the owner has. */
export const caughtUp = (node: ShardNode, owner: ShardNode): Promise<void> =>
  until(() => node.local.last()?.position === owner.local.last()?.position)
