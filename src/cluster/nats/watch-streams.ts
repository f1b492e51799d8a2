// Looks each second whether the NATS servers can store records of a shard: whether its streams exist, and whether a
// majority of the servers that keep them is there. An answer alone proves nothing: a server that is left alone goes on to
// answer questions about its copy. It has a connection of its own, which it changes when a server knows no majority.
import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { NatsSettings } from '../../bus/nats/nats-settings.ts'
import type { Timers } from '../../contract/ports.ts'
import { createAskNats } from './ask.ts'
import { notFound } from './end.ts'
import { openLink } from './link.ts'
import { type StreamState, stateOf } from './states.ts'
import { leaseStream, shardStream } from './streams.ts'

/** `away`: the servers do not answer, or most of those that keep the stream are away. */
export type StreamSeen = 'here' | 'missing' | 'away'
/** `end`: the last record of the log; undefined: no server has told it in the newest look. `streams`: those that exist. */
export type StreamsSeen = {
  log: StreamSeen
  lease: StreamSeen
  end: number | undefined
  streams: StreamState[]
}

/** Milliseconds between two looks, and milliseconds that the servers have for an answer. */
const lookMs = 1000
const askMs = 2000

type Deps = { settings: NatsSettings; shard: number; timers: Timers }

/** Whether most of the servers that keep the stream are there, so that it can store records. */
const hasMajority = ({ leader, copies }: StreamState): boolean =>
  leader !== undefined && copies.filter(({ isAway }) => !isAway).length * 2 > copies.length

/** Undefined: the stream does not exist. */
const stateIn = async (
  manager: JetStreamManager,
  name: string,
  server: string,
): Promise<StreamState | undefined> => {
  try {
    return stateOf(await manager.streams.info(name), server)
  } catch (error) {
    if ((error as { code?: unknown }).code === notFound) return undefined
    throw error
  }
}
const seenOf = (state: StreamState | undefined): StreamSeen =>
  state === undefined ? 'missing' : hasMajority(state) ? 'here' : 'away'

export const watchStreams = ({ settings, shard, timers }: Deps) => {
  const stopping = new AbortController()
  const link = openLink({ settings, timers, report: () => {} }) // the connection of the log reports
  const ask = createAskNats({ link, timers, stopping: stopping.signal })
  const names = { log: shardStream(shard).name, lease: leaseStream(shard).name }
  let seen: StreamsSeen = { log: 'here', lease: 'here', end: undefined, streams: [] }
  let isAsking = false

  const both = async (manager: JetStreamManager, connection: NatsConnection): Promise<StreamsSeen> => {
    const server = connection.info?.server_name ?? ''
    const [log, lease] = await Promise.all(
      [names.log, names.lease].map(name => stateIn(manager, name, server)),
    )
    const now = {
      ...{ log: seenOf(log), lease: seenOf(lease), end: log?.lastSequence },
      streams: [log, lease].filter(state => state !== undefined),
    }
    if (now.log === 'away' || now.lease === 'away') link.leave(connection)
    return now
  }
  const look = async (): Promise<void> => {
    if (isAsking) return
    isAsking = true
    seen = await ask(both, askMs).catch(
      (): StreamsSeen => ({ log: 'away', lease: 'away', end: undefined, streams: [] }),
    )
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
