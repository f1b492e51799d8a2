// Followers of the public events of a cluster by JetStream, as docs/subscribing.md advises. Each keeps the sequence of its last
// message, and goes on behind it, with a new consumer, whenever something fails, or nothing comes although the stream has more:
// a consumer reads the copy of one server, which may be far behind. When the servers have lost the stream or its end, the
// sequences begin anew. The follower notices it, since each message names the event before it, and reads from the beginning.
import { DeliverPolicy, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { pause } from '../support/http.ts'
import type { NatsCluster } from '../support/nats-cluster.ts'
import type { Follower, Heard } from './cluster-followers.ts'

export const eventsStream = 'REPRISE_EVENTS'
/** The most messages of one fetch, and the most milliseconds that it waits. */
const fetched = { max_messages: 500, expires: 1000 }
/**
 * A fetch has failed after this many milliseconds. Without the limit, a fetch that loses its server may ask for its consumer for
 * ever.
 */
const overdueMs = 10_000
/** A follower leaves a consumer after this many fetches without a message, when the stream has more. */
const emptyFetches = 3

export const followByNats = async (name: string, nats: NatsCluster): Promise<Follower> => {
  const { settings } = await nats.client(undefined, 'events')
  const login = settings.login.by === 'user' ? settings.login : undefined
  const heard: Heard[] = []
  let sequence = 0
  let position = 0
  let cuts = 0
  /** Of a stream that has begun anew, a follower gets all messages once more. */
  let taken = 0
  let isOver = false

  /** Returns false when the stream has begun anew. */
  const take = (message: JsMsg): boolean => {
    taken++
    if (message.seq <= sequence) return true
    const id = Number(message.headers?.get('Nats-Msg-Id'))
    if (id > position && Number(message.headers?.get('Reprise-Prev')) !== position) {
      sequence = 0
      return false
    }
    sequence = message.seq
    if (id <= position) return true
    position = id
    heard.push({ id, data: message.string() })
    return true
  }
  /** Whether the stream has messages that the follower has not got. */
  const hasMore = async (connection: NatsConnection): Promise<boolean> => {
    const manager = await jetstreamManager(connection, { checkAPI: false })
    const { state } = await manager.streams.info(eventsStream)
    const hasBegunAnew = state.last_seq < sequence
    if (hasBegunAnew) sequence = 0
    return hasBegunAnew || state.last_seq > sequence
  }
  const read = async (connection: NatsConnection): Promise<void> => {
    const consumer = await jetstream(connection).consumers.get(eventsStream, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: sequence + 1,
    })
    let empty = 0
    while (!isOver && empty < emptyFetches) {
      const before = taken
      const overdue = setTimeout(() => connection.close(), overdueMs)
      try {
        for await (const message of await consumer.fetch(fetched)) if (!take(message)) return
        empty = taken > before || !(await hasMore(connection)) ? 0 : empty + 1
      } finally {
        clearTimeout(overdue)
      }
      if (connection.isClosed()) return
    }
  }
  const follow = async (): Promise<void> => {
    while (!isOver) {
      let connection: NatsConnection | undefined
      try {
        connection = await connect({
          servers: [...settings.servers],
          user: login?.user ?? '',
          pass: login?.password ?? '',
          reconnect: false,
          timeout: 1000,
          pingInterval: 1000,
        })
        await read(connection)
      } catch {
        // A server was away. The follower goes on behind the last message that it has.
      }
      await connection?.close().catch(() => {})
      cuts++
      await pause(100)
    }
  }
  const following = follow()
  return {
    name,
    heard,
    taken: () => taken,
    cuts: () => cuts,
    stop() {
      isOver = true
      return following
    },
  }
}
