// Looks each second whether the NATS servers can store records of a shard: whether its streams exist, and whether a
// majority of the servers that keep them is there. An answer alone proves nothing: a server that is left alone goes on to
// answer questions about its copy. It has a connection of its own, which it changes when a server knows no majority.
import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { NatsSettings } from '../../bus/nats-settings.ts'
import type { Timers } from '../../contract/ports.ts'
import { createAsk } from './ask.ts'
import { notFound } from './end.ts'
import { openLink } from './link.ts'
import { leaseStream, shardStream } from './streams.ts'

/** `away`: the servers do not answer, or most of those that keep the stream are away. */
export type StreamSeen = 'here' | 'missing' | 'away'
/** `end`: the last record of the log; undefined: no server has told it in the newest look. */
export type StreamsSeen = { log: StreamSeen; lease: StreamSeen; end: number | undefined }

/** Milliseconds between two looks, and milliseconds that the servers have for an answer. */
const lookMs = 1000
const askMs = 2000
/** A copy whose server has given its leader no sign for this many nanoseconds is away. Usually it gives one each second. */
const silentNs = 5_000_000_000

type Deps = { settings: NatsSettings; shard: number; timers: Timers }

const seenIn = async (
  manager: JetStreamManager,
  name: string,
): Promise<{ seen: StreamSeen; end?: number }> => {
  try {
    const { state, cluster } = await manager.streams.info(name)
    const others = cluster?.replicas ?? []
    const present = others.filter(({ offline, active }) => !offline && active < silentNs).length
    const hasMajority =
      others.length === 0 || (Boolean(cluster?.leader) && (1 + present) * 2 > 1 + others.length)
    return { seen: hasMajority ? 'here' : 'away', end: state.last_seq }
  } catch (error) {
    if ((error as { code?: unknown }).code === notFound) return { seen: 'missing' }
    throw error
  }
}

export const watchStreams = ({ settings, shard, timers }: Deps) => {
  const stopping = new AbortController()
  const link = openLink({ settings, timers, report: () => {} }) // the connection of the log reports
  const ask = createAsk({ link, timers, stopping: stopping.signal })
  const names = { log: shardStream(shard).name, lease: leaseStream(shard).name }
  let seen: StreamsSeen = { log: 'here', lease: 'here', end: undefined }
  let isAsking = false

  const both = async (manager: JetStreamManager, connection: NatsConnection): Promise<StreamsSeen> => {
    const [log, lease] = await Promise.all([seenIn(manager, names.log), seenIn(manager, names.lease)])
    if (log.seen === 'away' || lease.seen === 'away') link.leave(connection) // another server may know a majority
    return { log: log.seen, lease: lease.seen, end: log.end }
  }
  const look = async (): Promise<void> => {
    if (isAsking) return
    isAsking = true
    seen = await ask(both, askMs).catch((): StreamsSeen => ({ log: 'away', lease: 'away', end: undefined }))
    isAsking = false
  }
  void look()
  const cancel = timers.every(lookMs, () => void look())
  return {
    /** What was seen in the newest look. */
    seen: (): StreamsSeen => seen,
    async stop(): Promise<void> {
      cancel()
      stopping.abort()
      await link.close()
    },
  }
}
