// Does the work of an operator's commands at the servers of the shared log: creates the streams, judges the servers,
// and shows the state of the streams.
import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { load } from '../../bus/nats/client.ts'
import { connectTo } from '../../bus/nats/connect.ts'
import { reasonOf } from '../../bus/nats/nats.ts'
import type { NatsSettings } from '../../bus/nats/nats-settings.ts'
import { CannotStart, NotNow } from '../../contract/cannot-start.ts'
import { Unknown } from '../shared-log.ts'
import { notFound } from './end.ts'
import { type Judgement, judgementsOf } from './judgements.ts'
import { isTimeout, isUnsent } from './no-answer.ts'
import { codeOf, infoOf, setUpStream } from './set-up-stream.ts'
import { type StreamState, stateOf, withoutLeader } from './states.ts'
import { leaseStream, type ShardStream, shardStream } from './streams.ts'

export type Servers = {
  /**
   * Creates those streams of a shard that do not exist, with three copies, or with one if there is a single server.
   * Resolves to the names of the new streams. Rejects with CannotStart when settings differ or servers are away.
   */
  setUp(shard: number): Promise<string[]>
  /** Deletes the stream of the log of a shard, if it exists. */
  deleteLog(shard: number): Promise<void>
  /** Judges the servers and the streams: what does the operator risk? */
  judge(shard: number): Promise<Judgement[]>
  /** The streams of a shard that exist. */
  states(shard: number): Promise<StreamState[]>
  close(): Promise<void>
}

/** Milliseconds for each request. A stream without a leader does not answer. */
const requestMs = 3000
const patience = { connectMs: 2000, pingMs: 5000 }

/** Code of the JetStream API: nobody can answer at the moment. */
const unavailable = 10008
/** Codes of the JetStream API: the server, or the account, has no JetStream. */
const noJetStream = new Set([10039, 10076])

const streamsOf = (shard: number): ShardStream[] => [shardStream(shard), leaseStream(shard)]

const managerOf = async (connection: NatsConnection, shown: string): Promise<JetStreamManager> => {
  const [, { jetstreamManager }] = await load()
  return jetstreamManager(connection, { timeout: requestMs }).catch(error => {
    const hasNone = noJetStream.has(codeOf(error) as number) || connection.info?.jetstream !== true
    if (!hasNone) throw error
    throw new CannotStart(
      `the servers at ${shown} have no JetStream for this user: configure "jetstream" for the servers and the account`,
    )
  })
}

/** Rejects with Unknown when the servers do not answer, or say that they cannot answer now. */
const answered = <T>(work: Promise<T>): Promise<T> =>
  work.catch(error => {
    if (!isTimeout(error) && !isUnsent(error) && codeOf(error) !== unavailable) throw error
    throw new Unknown('most of them are away, or a stream has no leader', { cause: error })
  })

/**
 * Connects. Rejects with CannotStart when no server is reached, or when the servers have no JetStream for this user, and with
 * Unknown when they do not answer.
 */
export const openServers = async (settings: NatsSettings): Promise<Servers> => {
  const connection = await connectTo(settings, await load(), patience).catch(error => {
    throw new NotNow(`no server at ${settings.shown} is reached: ${reasonOf(error)}`)
  })
  const manager = await answered(managerOf(connection, settings.shown)).catch(async error => {
    await connection.close()
    throw error
  })
  const { version = '0', server_name: server = '', connect_urls: urls = [] } = connection.info ?? {}
  const states = async (shard: number): Promise<StreamState[]> => {
    const found = streamsOf(shard).map(({ name }) =>
      infoOf(manager, name).then(
        info => info && stateOf(info, server),
        error => {
          if (isTimeout(error)) return withoutLeader(name)
          throw error
        },
      ),
    )
    return (await Promise.all(found)).filter(state => state !== undefined)
  }
  return {
    async setUp(shard) {
      const created: string[] = []
      for (const stream of streamsOf(shard))
        if (await answered(setUpStream(manager, stream))) created.push(stream.name)
      return created
    },
    async deleteLog(shard) {
      const { name } = shardStream(shard)
      const deleting = async (): Promise<void> => {
        if ((await infoOf(manager, name)) !== undefined) await manager.streams.delete(name)
      }
      await answered(deleting()).catch(error => {
        // Servers that have lost their files may not agree about a stream: then it is gone for those that count.
        if (codeOf(error) !== notFound) throw error
      })
    },
    states,
    async judge(shard) {
      const streams = await states(shard)
      const count = Math.max(1, urls.length, ...streams.map(({ copies }) => copies.length))
      return judgementsOf({ version, count }, streams)
    },
    close: () => connection.close(),
  }
}
