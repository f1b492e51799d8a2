// One connection to NATS. With the folder `nats`, the only file that knows the client.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { NatsConnection } from '@nats-io/transport-node'
import { arrived, type Client, headersOf, load, type NatsMessage } from './nats/client.ts'
import { type NatsStreams, streamsOf } from './nats/streams.ts'
import type { NatsSettings } from './nats-settings.ts'

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
const pingMs = 5000

/** Of what both clients and servers say; never with what we logged in with. */
export const reasonOf = (error: unknown): string => {
  const { message, code } = error as { message?: string; code?: unknown }
  return message || String(code ?? 'unknown reason')
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
      connection.publish(subject, body, { headers: headersOf(client, given) })
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
