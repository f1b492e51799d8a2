// Uses JetStream over one connection: reads the state and messages of a stream, and publishes messages with receipts.
import type { JetStreamManager } from '@nats-io/jetstream'
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { type Client, encodedHeaders, messageOf, type NatsMessage } from './client.ts'

/** The answer of a stream to a published message. */
export type Receipt = { sequence: number; isDuplicate: boolean } | { refused: string; code: number }

export type StreamState = {
  subjects: readonly string[]
  /** Whether the stream drops messages: because of age, number or size, or because they were consumed. */
  forgets: boolean
  /** The largest number of bytes of a message, with its headers. The stream refuses longer messages. */
  maxMessage: number
  messages: number
  lastSequence: number
}

export type NatsStreams = {
  /** Undefined: there is no such stream. */
  state(name: string): Promise<StreamState | undefined>
  create(name: string, subject: string): Promise<StreamState>
  /** The message with this sequence number or, with `or later`, the first one from this number on. Undefined: none. */
  message(
    name: string,
    sequence: number,
    which?: 'exactly' | 'or later',
  ): Promise<(NatsMessage & { sequence: number }) | undefined>
  /**
   * Deletes the messages of a subject, which may have wildcards, and overwrites them in the files of the server.
   * Resolves to the number of deleted messages.
   */
  erase(name: string, subject: string): Promise<number>
  /**
   * Publishes messages. `onReceipt` gets the receipts, in any order, with the numbers that `publish` got for them.
   */
  publisher(onReceipt: (number: number, receipt: Receipt) => void): {
    publish(number: number, subject: string, body: string, headers: Record<string, string>): void
    close(): void
  }
}

/** A request to JetStream fails after this many milliseconds. */
const requestMs = 5000

/** Error codes of the JetStream API. */
const notEnabled = 10076
const notForAccount = 10039
const notFound = 10059
const isSingleServer = 10074

type PubAck = { seq?: number; duplicate?: boolean; error?: { err_code?: number; description?: string } }
const receiptOf = (message: Msg): Receipt => {
  if (message.headers?.code === 503) return { refused: 'no stream takes these messages', code: 503 }
  const { seq = 0, duplicate = false, error } = message.json<PubAck>()
  if (error === undefined) return { sequence: seq, isDuplicate: duplicate }
  return { refused: error.description ?? 'unknown reason', code: error.err_code ?? 0 }
}

/** Creates a stream with copies on several servers, or with one when there is a single server. */
const add = (
  manager: JetStreamManager,
  wanted: Parameters<JetStreamManager['streams']['add']>[0],
  copies: number,
) =>
  manager.streams.add({ ...wanted, num_replicas: copies }).catch((error: { code?: unknown }) => {
    if (error.code === isSingleServer) return manager.streams.add(wanted)
    throw error
  })

/** `copies`: the number of servers that keep a newly created stream, if the NATS servers are a cluster. */
export const streamsOf = async (
  client: Client,
  connection: NatsConnection,
  copies = 1,
): Promise<NatsStreams | undefined> => {
  const [{ createInbox }, jetStream] = client
  const { jetstreamManager, JetStreamApiError, RetentionPolicy, StorageType } = jetStream
  const isApiError = (error: unknown, code: number) =>
    error instanceof JetStreamApiError && error.code === code
  const manager = await jetstreamManager(connection, { timeout: requestMs }).catch((error: Error) => {
    if (isApiError(error, notEnabled) || isApiError(error.cause, notForAccount)) return undefined
    // The server did not answer. If it announces JetStream, JetStream is not ready yet, which is an error. Otherwise
    // the server has no JetStream.
    if (error.name === 'JetStreamNotEnabled' && connection.info?.jetstream !== true) return undefined
    throw error
  })
  if (manager === undefined) return undefined
  type Info = Awaited<ReturnType<typeof manager.streams.info>>
  const stateOf = ({ config, state }: Info): StreamState => ({
    subjects: config.subjects ?? [],
    forgets:
      config.retention !== RetentionPolicy.Limits ||
      [config.max_age, config.max_msgs, config.max_bytes, config.max_msgs_per_subject].some(
        limit => (limit ?? 0) > 0,
      ),
    maxMessage: (config.max_msg_size ?? 0) > 0 ? (config.max_msg_size as number) : Number.POSITIVE_INFINITY,
    messages: state.messages,
    lastSequence: state.last_seq,
  })
  return {
    state: name =>
      manager.streams.info(name).then(stateOf, (error: unknown) => {
        if (isApiError(error, notFound)) return undefined
        throw error
      }),
    create: async (name, subject) =>
      stateOf(await add(manager, { name, subjects: [subject], storage: StorageType.File }, copies)),
    async message(name, sequence, which = 'exactly') {
      const query = which === 'exactly' ? { seq: sequence } : { seq: sequence, next_by_subj: '>' }
      const found = await manager.streams.getMessage(name, query)
      if (found === null) return undefined
      const message = messageOf(
        () => found.header,
        () => found.string(),
      )
      return { ...message, sequence: found.seq }
    },
    async erase(name, subject) {
      let erased = 0
      for (let seq = 1; ; erased++) {
        const next = { seq, next_by_subj: subject }
        const found = await manager.streams.getMessage(name, next)
        if (found === null) return erased
        await manager.streams.deleteMessage(name, found.seq, true)
        seq = found.seq + 1
      }
    },
    publisher(onReceipt) {
      const inbox = createInbox()
      const subscription = connection.subscribe(`${inbox}.*`, {
        callback: (error, message) => {
          if (error === null) onReceipt(Number(message.subject.slice(inbox.length + 1)), receiptOf(message))
        },
      })
      return {
        publish(number, subject, body, given) {
          connection.publish(subject, body, {
            headers: encodedHeaders(given),
            reply: `${inbox}.${number}`,
          })
        },
        close: () => subscription.unsubscribe(),
      }
    },
  }
}
