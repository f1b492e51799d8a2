// One connection to NATS: the only file that knows the client, which is loaded when it is called for the first time.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node'
import type { NatsSettings } from './nats-settings.ts'

export type NatsMessage = {
  /** Undefined when there is none of this name. */
  header(name: string): string | undefined
  body(): string
}

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

export type Connection = {
  /** Host and port. */
  server: string
  /** The most bytes of a message, headers included. */
  maxMessage: number
  /** Resolves with the reason when it is over, however it ended. */
  closed: Promise<string>
  publish(subject: string, body: string, headers: Record<string, string>): void
  /** Resolves when the server has taken all that was published. */
  flush(): Promise<void>
  subscribe(subject: string, take: (message: NatsMessage) => void): void
  /** Undefined: this server, or this account, has no JetStream. */
  streams(): Promise<NatsStreams | undefined>
  close(): Promise<void>
}

const connectMs = 5000
const requestMs = 5000
const pingMs = 5000

/** Codes of JetStream's interface. */
const notEnabled = 10076
const notForAccount = 10039
const notFound = 10059

const load = () => Promise.all([import('@nats-io/transport-node'), import('@nats-io/jetstream')])
type Client = Awaited<ReturnType<typeof load>>

const messageOf = (headers: () => MsgHdrs | undefined, body: () => string): NatsMessage => ({
  header: name => headers()?.get(name) || undefined,
  body,
})
const arrived = (message: Msg): NatsMessage =>
  messageOf(
    () => message.headers,
    () => message.string(),
  )

type PubAck = { seq?: number; duplicate?: boolean; error?: { err_code?: number; description?: string } }
const receiptOf = (message: Msg): Receipt => {
  if (message.headers?.code === 503) return { refused: 'no stream takes them', code: 503 }
  const { seq = 0, duplicate = false, error } = message.json<PubAck>()
  if (error === undefined) return { sequence: seq, isDuplicate: duplicate }
  return { refused: error.description ?? 'unknown reason', code: error.err_code ?? 0 }
}

/** Of what both clients and servers say; never with what we logged in with. */
export const reasonOf = (error: unknown): string => {
  const { message, code } = error as { message?: string; code?: unknown }
  return message || String(code ?? 'unknown reason')
}

const streamsOf = async (
  [{ createInbox, headers }, jetStream]: Client,
  connection: NatsConnection,
): Promise<NatsStreams | undefined> => {
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
          const all = headers()
          for (const name of Object.keys(given)) all.set(name, given[name] as string)
          connection.publish(subject, body, { headers: all, reply: `${inbox}.${number}` })
        },
        close: () => subscription.unsubscribe(),
      }
    },
  }
}

const loginOptions = ({ login }: NatsSettings, [{ credsAuthenticator }]: Client) => {
  if (login.by === 'user') return { user: login.user, pass: login.password }
  if (login.by === 'token') return { token: login.token }
  if (login.by === 'credentials') return { authenticator: credsAuthenticator(readFileSync(login.file)) }
  return {}
}

/** An address has to stand in the certificate, too: the client looks for a name alone. */
const tlsOptions = ({ tls }: NatsSettings, server: string) => {
  const host = server.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  return tls === undefined ? {} : { tls: { ...tls, ...(isIP(host) ? { host } : {}) } }
}

/** To the first server that answers; rejects with what the last one said. */
const connectTo = async (settings: NatsSettings, client: Client): Promise<NatsConnection> => {
  let reason: unknown
  for (const server of settings.servers) {
    try {
      return await client[0].connect({
        name: 'reprise',
        servers: server,
        reconnect: false,
        timeout: connectMs,
        pingInterval: pingMs,
        ...loginOptions(settings, client),
        ...tlsOptions(settings, server),
      })
    } catch (error) {
      reason = error
    }
  }
  throw reason
}

/**
 * Connects once, to one of the servers. Rejects when that is not possible. The connection does not come back by itself:
 * what the client would keep and send again after a break is sent again from the log, from where it is known to be.
 * `onRefusal`: the server does not allow something, for the operator.
 */
export const connectNats = async (
  settings: NatsSettings,
  onRefusal: (reason: string) => void,
): Promise<Connection> => {
  const client = await load()
  const [{ headers }] = client
  const connection = await connectTo(settings, client)
  const watch = async () => {
    for await (const status of connection.status())
      if (status.type === 'error') onRefusal(reasonOf(status.error))
  }
  watch().catch(() => {}) // it ends with the connection
  return {
    server: connection.getServer(),
    maxMessage: connection.info?.max_payload ?? Number.POSITIVE_INFINITY,
    closed: connection.closed().then(error => (error ? reasonOf(error) : 'the connection has ended')),
    publish(subject, body, given) {
      const all = headers()
      for (const name of Object.keys(given)) all.set(name, given[name] as string)
      connection.publish(subject, body, { headers: all })
    },
    flush: () => connection.flush(),
    subscribe(subject, take) {
      connection.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) take(arrived(message))
        },
      })
    },
    streams: () => streamsOf(client, connection),
    close: () => connection.close(),
  }
}
