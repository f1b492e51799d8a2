// Opens what a node keeps: its copy of the log and the secrets, which both come from the shared log, and the stream
// keys, which the owner makes and a standby gets from the owner.

import { logIdOf } from '../cluster/beginning.ts'
import type { ClusterKeys } from '../cluster/cluster-key.ts'
import type { Conditions } from '../cluster/conditions.ts'
import { openStreamKeys } from '../cluster/keys/stream-keys.ts'
import type { Flaw } from '../cluster/nats/copies.ts'
import { openSharedLog } from '../cluster/nats/shared-log.ts'
import { shardStream } from '../cluster/nats/streams.ts'
import { ForeignRecord } from '../cluster/records/form.ts'
import { createReplica } from '../cluster/replica.ts'
import type { ClusterSettings } from '../cluster/settings.ts'
import { UnfitRecord } from '../cluster/shared-log.ts'
import type { Config } from '../config.ts'
import { CannotStart } from '../contract/cannot-start.ts'
import type { Report, World } from '../contract/ports.ts'
import { openStore } from '../log/chosen-storage.ts'
import { reportingFailures } from '../log/reported-failures.ts'
import { filesOf } from '../platform/files/data-folder.ts'
import { openSecrets } from '../platform/secrets.ts'
import { nextOf } from '../proof/keys/key-file.ts'
import type { Closers } from './closers.ts'

type Deps = {
  config: Config
  settings: ClusterSettings
  clusterKeys: ClusterKeys
  world: World
  closers: Closers
  node: { name: string; url: string }
  /** Whether this node holds the lease, so that it may claim the log again after an error. */
  mayClaim: () => boolean
  conditions: Conditions
  report: Report
}

/** The files that every owner needs, by their refs. The next audit key is one of them: the log may name it already. */
export const sharedFilesOf = ({ dataDir, proof: { keyFile } }: Config): Record<string, string> => ({
  'file:admin-token': filesOf(dataDir).adminToken,
  'file:audit-key': keyFile,
  'file:next-audit-key': nextOf(keyFile),
})

/** Notes which NATS servers have damaged copies of the log. */
const noteFlaws =
  (conditions: Conditions) =>
  (flaws: readonly Flaw[]): void => {
    if (flaws.length === 0) return void conditions.end('server-damaged')
    const named = flaws.map(({ server, sequence }) => `${server} (record ${sequence})`).join(' and ')
    const lack =
      flaws.length === 1
        ? `the NATS server ${named} has a damaged copy of the shared log, or is behind`
        : `the NATS servers ${named} have damaged copies of the shared log, or are behind`
    const once = flaws.length === 1 ? '' : ', one server after the other'
    const text = `${lack}. If this does not pass, and the other servers are there${once}: stop the server, move its store folder aside, and start it; it gets its copy from the other servers`
    conditions.begin('server-damaged', text)
  }
/** Throws CannotStart in place of the error that the first record of the shared log cannot be used. */
const unfit = (error: unknown, keyFile: string): never => {
  if (error instanceof ForeignRecord)
    throw new CannotStart(
      `CLUSTER_KEY_FILE=${keyFile} is not the key of this cluster: replace it with a copy of the key file of another node`,
    )
  throw error instanceof UnfitRecord ? new CannotStart(error.message) : error
}

/** Rejects with CannotStart, or with Unknown when NATS is not reached in time. */
export const openNodeStorage = async (deps: Deps) => {
  const { config, settings, clusterKeys, world, closers, node, mayClaim, conditions, report } = deps
  const { clock, timers } = world
  const files = filesOf(config.dataDir)
  const shared = await openSharedLog({
    settings: settings.nats,
    ...shardStream(0),
    waitMs: settings.waitMs,
    flawed: noteFlaws(conditions),
    timers,
    report,
  })
  closers.add(shared.close)
  const logId = await logIdOf(shared, clusterKeys.records).catch(error => unfit(error, settings.keyFile))
  const file = openStore(files.log, () => logId, [files.lock, files.secrets])
  const local = reportingFailures(file, report)
  closers.add(local.close)
  const keys = openStreamKeys(files.streamKeys, clock)
  closers.add(keys.close)
  const secrets = openSecrets(files.secrets, report)
  closers.add(secrets.close)
  const sharedFiles = sharedFilesOf(config)
  const replica = createReplica({
    ...{ local, shared, keys, secrets, mayClaim, conditions, timers, report },
    key: clusterKeys.records,
    logId,
    stateFile: files.cluster,
    files: sharedFiles,
    node,
  })
  closers.add(replica.stop)
  return { local, secrets, keys, replica, shared, files: sharedFiles }
}
export type NodeStorage = Awaited<ReturnType<typeof openNodeStorage>>
