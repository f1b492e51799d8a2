// Sets a cluster up: the file of its key, the streams at the NATS servers, and the first record of its log.
import type { NatsSettings } from '../bus/nats-settings.ts'
import { CannotStart } from '../contract/cannot-start.ts'
import type { Report, Timers } from '../contract/ports.ts'
import { beginLog } from './beginning.ts'
import { makeClusterKey, readClusterKeys } from './cluster-key.ts'
import type { Judgement } from './nats/judge.ts'
import { openServers } from './nats/setup.ts'
import { openSharedLog } from './nats/shared-log.ts'
import { shardStream } from './nats/streams.ts'
import { UnfitRecord } from './shared-log.ts'

type Plan = {
  settings: NatsSettings
  keyFile: string
  /** The id of the log. `isThere`: whether a log with this id exists already. */
  log: { id: string; isThere: boolean }
  timers: Timers
  report: Report
}

export type SetUp = {
  /** Whether the file of the key was made. */
  keyMade: boolean
  /** The names of the streams that were created. */
  created: string[]
  logId: string
  judgements: Judgement[]
}

/** The number of the only shard: a cluster has one shared log. */
const shard = 0
/** Milliseconds to wait for a new stream. */
const waitMs = 10_000

/** Begins the shared log, unless it has begun already. Resolves to its id. */
const begin = async ({ settings, keyFile, log, timers, report }: Plan): Promise<string> => {
  const shared = await openSharedLog({ ...shardStream(shard), settings, timers, report, waitMs })
  try {
    return await beginLog(shared, readClusterKeys(keyFile).records, log.id)
  } catch (error) {
    if (!(error instanceof UnfitRecord)) throw error
    throw new CannotStart(
      `${keyFile} is not the key of this cluster: replace it with a copy of the key file of one of its nodes`,
    )
  } finally {
    await shared.close()
  }
}

/**
 * Makes what is missing, and leaves everything else as it is. Rejects with CannotStart, or with Unknown when the
 * servers do not answer.
 */
export const initCluster = async (plan: Plan): Promise<SetUp> => {
  const { settings, keyFile, log } = plan
  const servers = await openServers(settings)
  try {
    const keyMade = makeClusterKey(keyFile)
    const created = await servers.setUp(shard)
    const logId = await begin(plan)
    if (log.isThere && logId !== log.id)
      throw new CannotStart(
        `the shared log has the id ${logId}, and that of the folder is ${log.id}: start nodes with an empty folder, or delete the stream ${shardStream(shard).name} if nothing of it is needed`,
      )
    return { keyMade, created, logId, judgements: await servers.judge(shard) }
  } finally {
    await servers.close()
  }
}
