// JetStream over one connection: the state of a stream, its messages, and receipts for what is published to it.
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { type Client, headersOf, messageOf, type NatsMessage } from './client.ts'

/** What a stream says of a message that was published to it. */
export type Receipt = { sequence: number; isDuplicate: boolean } | { refused: string; code: number }

export type StreamState = {
  subjects: readonly string[]
  /** It lets go of messages by itself: by age, number, size, or when they were consumed. */
  forgets: boolean
  /** Messages of more bytes, headers included, are refused. */
  maxMessage: number
  messages: number
  lastSequence: number
}

export type NatsStreams = {
  /** Undefined: there is no such stream. */
  state(name: string): Promise<StreamState | undefined>
  create(name: string, subject: string): Promise<StreamState>
  /** The message at a sequence, or the first from there on; undefined: there is none. */
  message(
    name: string,
    sequence: number,
    which?: 'exactly' | 'or later',
  ): Promise<(NatsMessage & { sequence: number }) | undefined>
  /** For messages whose receipts come back, in any order, with the number that was given to `publish`. */
  publisher(onReceipt: (number: number, receipt: Receipt) => void): {
    publish(number: number, subject: string, body: string, headers: Record<string, string>): void
    close(): void
  }
}

const requestMs = 5000

/** Codes of JetStream's interface. */
const notEnabled = 10076
const notForAccount = 10039
const notFound = 10059

type PubAck = { seq?: number; duplicate?: boolean; error?: { err_code?: number; description?: string } }
const receiptOf = (message: Msg): Receipt => {
  if (message.headers?.code === 503) return { refused: 'no stream takes them', code: 503 }
  const { seq = 0, duplicate = false, error } = message.json<PubAck>()
  if (error === undefined) return { sequence: seq, isDuplicate: duplicate }
  return { refused: error.description ?? 'unknown reason', code: error.err_code ?? 0 }
}

export const streamsOf = async (
  client: Client,
  connection: NatsConnection,
): Promise<NatsStreams | undefined> => {
  const [{ createInbox }, jetStream] = client
  const { jetstreamManager, JetStreamApiError, RetentionPolicy, StorageType } = jetStream
  const isApiError = (error: unknown, code: number) =>
    error instanceof JetStreamApiError && error.code === code
  const manager = await jetstreamManager(connection, { timeout: requestMs }).catch((error: Error) => {
    if (isApiError(error, notEnabled) || isApiError(error.cause, notForAccount)) return undefined
    // Nobody answers: where the server says that it has JetStream, nobody does yet.
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
      stateOf(await manager.streams.add({ name, subjects: [subject], storage: StorageType.File })),
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
            headers: headersOf(client, given),
            reply: `${inbox}.${number}`,
          })
        },
        close: () => subscription.unsubscribe(),
      }
    },
  }
}
