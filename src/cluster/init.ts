// Sets a cluster up: the file of its key, the streams at the NATS servers, and the first record of its log. Where nodes may
// have a log already, another log never begins: the stream goes on with the log of a node.
import { setTimeout as sleep } from 'node:timers/promises' // keeps the process of the command running
import type { NatsSettings } from '../bus/nats/nats-settings.ts'
import { CannotStart } from '../contract/cannot-start.ts'
import type { Report, Timers } from '../contract/ports.ts'
import { type Beginning, beginLog, logIdOf } from './beginning.ts'
import { makeClusterKey, readClusterKeys } from './cluster-key.ts'
import type { Judgement } from './nats/judgements.ts'
import { openServers, type Servers } from './nats/setup.ts'
import { openSharedLog } from './nats/shared-log.ts'
import { leaseStream, shardStream } from './nats/streams.ts'
import { unledStreams, wordsOfUnled } from './nats/unled.ts'
import { type SharedLog, UnfitRecord, Unknown } from './shared-log.ts'

export type Plan = {
  settings: NatsSettings
  keyFile: string
  /** The monitoring addresses of the servers, as far as they are known. */
  monitorUrls: readonly string[]
  /** The log with which the stream goes on: that of a folder or of the owner; undefined: nobody has named one. */
  there: Beginning | undefined
  /** Whether that log is in the folder of a single server, which may have gone on alone; undefined: no folder was named. */
  isAlone?: boolean | undefined
  /** Whether the operator says that no node has a log, although the key of the cluster is there. */
  isNew: boolean
  /** Whether the stream of the log is deleted and made again. */
  isAgain: boolean
  newId: () => string
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
/** Milliseconds to wait for a new stream, and for the leader of one that is there. */
const waitMs = 10_000
/** Milliseconds after which servers that do not answer are not asked again. A change of the leader of all streams takes less. */
const patienceMs = 20_000
const lookMs = 1000

const { name } = shardStream(shard)
const names = [name, leaseStream(shard).name]

/** The log that begins when the stream is empty. Throws CannotStart when a node may have a log that nobody has named. */
const beginningOf = ({ there, isNew, keyFile, newId }: Plan, keyMade: boolean): Beginning => {
  if (there !== undefined) return there
  if (keyMade || isNew) return { id: newId(), position: 0 }
  throw new CannotStart(
    `the stream ${name} is empty, but the key ${keyFile} was there: nodes of this cluster may have a log. To go on with it, run "reprise cluster init --data DATA_DIR" on the machine of the node that owned the log last. If this is a new cluster, add --new`,
  )
}

/**
 * Throws CannotStart when the shared log has events already, and a folder that is no node's shall go on with it: a server
 * that has left the cluster may have gone on alone, so that the two logs have the same id and different ends.
 */
const mustBelong = ({ isAlone }: Plan, end: number): void => {
  if (isAlone && end > 1)
    throw new CannotStart(
      `the stream ${name} has records of this log already, and the folder of --data is in no cluster, so the two may differ: nothing was changed. If the log of the folder shall go on, add --again: the stream is deleted and filled from the folder. Start every other node with an empty DATA_DIR then`,
    )
}

/** Begins the shared log, unless it has begun already. Resolves to its id. */
const begin = async (plan: Plan, shared: SharedLog, keyMade: boolean): Promise<string> => {
  const key = readClusterKeys(plan.keyFile).records
  try {
    const end = await shared.tail()
    if (end === 0) return await beginLog(shared, key, beginningOf(plan, keyMade))
    const logId = await logIdOf(shared, key)
    if (logId === plan.there?.id) mustBelong(plan, end)
    return logId
  } catch (error) {
    if (!(error instanceof UnfitRecord)) throw error
    throw new CannotStart(
      `${plan.keyFile} is not the key of this cluster: replace it with a copy of the key file of one of its nodes`,
    )
  }
}

/** Rejects with Unknown when the servers do not answer for `patienceMs`. */
const asked = async <T>(ask: () => Promise<T>): Promise<T> => {
  for (const end = performance.now() + patienceMs; ; await sleep(lookMs)) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof Unknown) || performance.now() > end) throw error
    }
  }
}

/**
 * Throws CannotStart when a stream never gets a leader again although all servers run. These servers do not agree which streams
 * there are: a stream that was made again now would have new copies on some of them, and the old one on another.
 */
const mustBeLed = async ({ monitorUrls }: Plan): Promise<void> => {
  for (const end = performance.now() + waitMs; ; await sleep(lookMs)) {
    const unled = (await unledStreams(monitorUrls, names)) ?? []
    const lost = unled.filter(({ isLost }) => isLost)
    if (lost.length === 0) return
    if (performance.now() > end) throw new CannotStart(`${wordsOfUnled(lost)}. Nothing was changed`)
  }
}

/** Deletes the stream of the log, if the log of a node is there to fill it again. */
const deleteStream = async ({ there, keyFile }: Plan, servers: Servers): Promise<void> => {
  readClusterKeys(keyFile) // with a new key, no node could read the new stream
  if (there === undefined)
    throw new CannotStart(
      'no node that answers owns the log, and not all nodes answer: run this on the machine of the owner, start the nodes that are away, or name the DATA_DIR of the node that owned the log last with --data',
    )
  await asked(() => servers.deleteLog(shard))
}

/**
 * Makes what is missing, and leaves everything else as it is. Rejects with CannotStart, or with Unknown when the
 * servers do not answer.
 */
export const initCluster = async (plan: Plan): Promise<SetUp> => {
  const { settings, keyFile, there, timers, report } = plan
  const servers = await asked(() => openServers(settings))
  try {
    await mustBeLed(plan)
    if (plan.isAgain) await deleteStream(plan, servers)
    const created = await asked(() => servers.setUp(shard))
    const keyMade = makeClusterKey(keyFile)
    const shared = await openSharedLog({ ...shardStream(shard), settings, timers, report, waitMs })
    const logId = await begin(plan, shared, keyMade).finally(shared.close)
    if (there !== undefined && logId !== there.id)
      throw new CannotStart(
        `the shared log has the id ${logId}, and that of the node is ${there.id}: nothing was changed. If the log ${there.id} is that of this cluster, add --again: the stream ${name} is deleted and filled from the node`,
      )
    return { keyMade, created, logId, judgements: await servers.judge(shard) }
  } finally {
    await servers.close()
  }
}
