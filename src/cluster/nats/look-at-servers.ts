// Looks at the servers of the shared log and at its streams, for an operator. Each server is asked by a connection of
// its own, so that one that is cut off from the others is seen, too.
import type { NatsConnection } from '@nats-io/transport-node'
import { load } from '../../bus/nats/client.ts'
import { connectTo } from '../../bus/nats/connect.ts'
import { reasonOf } from '../../bus/nats/nats.ts'
import type { NatsSettings } from '../../bus/nats/nats-settings.ts'
import { notFound } from './end.ts'
import { isUnsent } from './no-answer.ts'
import { codeOf } from './set-up-stream.ts'
import { missing, type StreamState, stateOf, withoutLeader } from './states.ts'
import { leaseStream, shardStream } from './streams.ts'
import { unledStreams, whyUnled } from './unled.ts'

/** A server of the list of URLs. `error`: why it is not reached. */
export type SeenServer = { url: string; name?: string; version?: string; error?: string }
export type Look = {
  servers: SeenServer[]
  /** The streams of the shard. Empty: no server is reached. */
  streams: StreamState[]
}

const patience = { connectMs: 2000, pingMs: 5000 }
/** Milliseconds for an answer. A stream without a leader does not answer. */
const requestMs = 2000
/** A copy that is behind gets this many milliseconds to become current, as it does all the time while nodes write. */
const againMs = 1000

type Reached = { seen: SeenServer; connection?: NatsConnection }

const reach = async (settings: NatsSettings, url: string): Promise<Reached> => {
  try {
    const connection = await connectTo({ ...settings, servers: [url] }, await load(), patience)
    const { server_name: name = '', version = '' } = connection.info ?? {}
    return { seen: { url, name, version }, connection }
  } catch (error) {
    // The client has no words for a connection that is closed at once, as a proxy does when its server is away.
    const reason = reasonOf(error)
    return { seen: { url, error: /undefined error/.test(reason) ? 'the connection was closed' : reason } }
  }
}

/** What one server says about a stream. Rejects when it gets no answer. */
const askOne = async (connection: NatsConnection, name: string): Promise<StreamState> => {
  const [, { jetstreamManager }] = await load()
  const manager = await jetstreamManager(connection, { timeout: requestMs, checkAPI: false })
  return manager.streams.info(name).then(
    info => stateOf(info, connection.info?.server_name ?? ''),
    error => {
      if (codeOf(error) === notFound) return missing(name)
      throw error
    },
  )
}

/** The state of a stream, from the first server that gets an answer of its leader. */
const stateAt = async (connections: NatsConnection[], name: string): Promise<StreamState> => {
  const answers = connections.map(connection => askOne(connection, name))
  return Promise.any(answers).catch((error: AggregateError) =>
    withoutLeader(
      name,
      error.errors.every(isUnsent) ? 'the servers have no JetStream for this user' : undefined,
    ),
  )
}

const isBehind = ({ copies }: StreamState): boolean => copies.some(copy => !copy.isCurrent || copy.isAway)

/**
 * When one server is not reached, and the streams name one server that is not among those that are reached, it is that
 * one. The leaders of the streams may count it as present for a while.
 */
const withLostServer = ({ servers, streams }: Look): Look => {
  const lost = servers.filter(({ error }) => error !== undefined)
  const names = new Set(streams.flatMap(({ copies }) => copies.map(({ server }) => server)))
  for (const { name } of servers) if (name !== undefined) names.delete(name)
  const [name] = names
  if (lost.length !== 1 || names.size !== 1 || name === undefined) return { servers, streams }
  return {
    servers: servers.map(server => (server.error === undefined ? server : { ...server, name })),
    streams: streams.map(stream => ({
      ...stream,
      copies: stream.copies.map(copy => (copy.server === name ? { ...copy, isAway: true } : copy)),
    })),
  }
}

/** What is wrong with single servers, as words: those that are away, and copies that lack records. */
export const wordsOfServers = ({ servers, streams }: Look): string[] => [
  ...servers.flatMap(({ name, url, error }) =>
    error === undefined
      ? []
      : [`the NATS server ${name ? `${name} (${url})` : url} is not reached: ${error}`],
  ),
  ...streams.flatMap(stream => wordsOfCopies(stream, servers)),
]
/** A server that is not reached has its words already. Without a leader, nothing is known of the copies. */
const wordsOfCopies = ({ name, leader, copies }: StreamState, servers: SeenServer[]): string[] => {
  const lost = new Set(servers.map(server => (server.error === undefined ? undefined : server.name)))
  return copies
    .filter(copy => leader !== undefined && !lost.has(copy.server) && (copy.isAway || !copy.isCurrent))
    .map(({ server, isAway, lag }) =>
      isAway
        ? `the NATS server ${server} is away, and has a copy of ${name}`
        : lag > 0
          ? `the NATS server ${server} lacks ${lag} records of ${name}`
          : `the leader of ${name} hears nothing of the NATS server ${server}`,
    )
}

const ifItStays =
  'If this does not pass within a minute, do what docs/cluster.md says below "What to do when"'

/** Says of streams without a leader, and of those that are missing, whether all servers run, and which have no copy. */
const withReasons = async (
  streams: StreamState[],
  monitorUrls: readonly string[],
): Promise<StreamState[]> => {
  const without = streams.filter(({ leader }) => leader === undefined).map(({ name }) => name)
  if (without.length === 0) return streams
  const unled = (await unledStreams(monitorUrls, without)) ?? []
  return streams.map(stream => {
    const found = unled.find(one => one.stream === stream.name)
    return found === undefined ? stream : withoutLeader(stream.name, `${whyUnled(found)}. ${ifItStays}`)
  })
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** `monitorUrls`: the monitoring addresses of the servers, as far as they are known. Never rejects. */
export const lookAtServers = async (
  settings: NatsSettings,
  shard: number,
  monitorUrls: readonly string[] = [],
): Promise<Look> => {
  const reached = await Promise.all(settings.servers.map(url => reach(settings, url)))
  const connections = reached.flatMap(({ connection }) => connection ?? [])
  const look = () =>
    Promise.all([shardStream(shard), leaseStream(shard)].map(({ name }) => stateAt(connections, name)))
  try {
    const servers = reached.map(({ seen }) => seen)
    if (connections.length === 0) return { servers, streams: [] }
    const streams = await withReasons(await look(), monitorUrls)
    if (!streams.some(isBehind)) return { servers, streams }
    await pause(againMs)
    return withLostServer({ servers, streams: await look() })
  } finally {
    await Promise.all(connections.map(connection => connection.close().catch(() => {})))
  }
}
