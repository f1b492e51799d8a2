// Where the events of a test's server or system are stored: where they always are, or, with STORE=replicated, on a log
// that is replicated over servers in memory. Each opening begins new servers, which get the events that are there.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beginLog } from '../../src/cluster/beginning.ts'
import { createConditions } from '../../src/cluster/conditions.ts'
import { openStreamKeys } from '../../src/cluster/keys/stream-keys.ts'
import { createMemoryServers } from '../../src/cluster/memory-log.ts'
import { createReplica } from '../../src/cluster/replica.ts'
import type { Config } from '../../src/config.ts'
import type { Report } from '../../src/contract/ports.ts'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import type { Store } from '../../src/log/store.ts'
import { filesOf } from '../../src/platform/files/data-folder.ts'
import { openSecrets, type Secrets } from '../../src/platform/secrets.ts'
import { realWorld } from '../../src/platform/world.ts'
import type { ShardStores } from '../../src/shard/opening/open-shard.ts'

const isReplicated = process.env.STORE === 'replicated'

/** No other node needs the key of the audit here. */
const keyMade = (): void => {}

let root: string | undefined
/** A folder for what a node keeps beside its log. It is removed when the process ends. */
const newFolder = (): string => {
  if (root === undefined) {
    const made = mkdtempSync(path.join(tmpdir(), 'reprise-replicated-'))
    process.on('exit', () => rmSync(made, { recursive: true, force: true }))
    root = made
  }
  return mkdtempSync(path.join(root, 'node-'))
}

const replicated = async (local: Store, secrets: Secrets): Promise<ShardStores> => {
  const { clock, timers } = realWorld()
  const [folder, key, logId] = [newFolder(), Buffer.alloc(32, 1), local.logId()]
  const shared = createMemoryServers().open()
  await beginLog(shared, key, { id: logId, position: 0 })
  const keys = openStreamKeys(path.join(folder, 'stream-keys.db'), clock)
  const replica = createReplica({
    ...{ local, shared, key, keys, logId, secrets, timers, mayClaim: () => true, report: () => {} },
    stateFile: path.join(folder, 'cluster.json'),
    node: { name: 'one', url: 'http://one' },
    conditions: createConditions({ clock, timers, report: () => {} }),
  })
  await replica.claim()
  const close = async (): Promise<void> => {
    await replica.stop()
    keys.close()
    secrets.close()
    await local.close()
  }
  return { store: { ...replica.store, close }, secrets: { ...replica.secrets, close: () => {} }, keyMade }
}

const unreplicated = new WeakSet<Store>()
/** A store that stays alone with STORE=replicated, since what its writes lose would be in the replicated log. */
export const alone = (store: Store): Store => {
  unreplicated.add(store)
  return store
}

/** The stores of a system whose events and secrets are here. */
export const storesOver = async (store: Store, secrets: Secrets): Promise<ShardStores> =>
  isReplicated && !unreplicated.has(store) ? replicated(store, secrets) : { store, secrets, keyMade }

/** The stores of a server; none: it opens the files of its data folder itself. */
export const storesIn = async (
  { dataDir }: Pick<Config, 'dataDir'>,
  report: Report,
): Promise<{ stores?: ShardStores }> => {
  if (!isReplicated) return {}
  mkdirSync(dataDir, { recursive: true })
  const files = filesOf(dataDir)
  const local = sqliteStore(files.log, () => realWorld().ids.next('log_'), [files.lock, files.secrets])
  return { stores: await replicated(local, openSecrets(files.secrets, report)) }
}
