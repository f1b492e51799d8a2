// Makes a connection to NATS. Only this file, its folder `src/bus/nats`, and `src/cluster/nats` use the NATS client.
import { arrived, encodedHeaders, load, type NatsMessage } from './client.ts'
import { connectTo } from './connect.ts'
import type { NatsSettings } from './nats-settings.ts'
import { type NatsStreams, streamsOf } from './streams.ts'

export type Connection = {
  /** Host and port. */
  server: string
  /** The largest number of bytes of a message, with its headers. */
  maxMessage: number
  /** Resolves with the reason when the connection has ended in any way. */
  closed: Promise<string>
  publish(subject: string, body: string, headers: Record<string, string>): void
  /** Resolves when the server has taken all published messages. */
  flush(): Promise<void>
  subscribe(subject: string, take: (message: NatsMessage) => void): void
  /** Undefined: this server, or this account, has no JetStream. */
  streams(): Promise<NatsStreams | undefined>
  close(): Promise<void>
}

/** The message of an error of the client or the server. It never contains the login. */
export const reasonOf = (error: unknown): string => {
  const { message, code } = error as { message?: string; code?: unknown }
  return message || String(code ?? 'unknown reason')
}

/**
 * Connects once, to one of the servers. Rejects when no server can be reached. After a break, the client neither
 * reconnects nor sends anything again: the relay sends again from the log, after the last event that NATS is known to
 * have. `onRefusal` is called when the NATS server does not allow something, so that the operator learns of it.
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
  watch().catch(() => {}) // the loop ends with the connection
  return {
    server: connection.getServer(),
    maxMessage: connection.info?.max_payload ?? Number.POSITIVE_INFINITY,
    closed: connection.closed().then(error => (error ? reasonOf(error) : 'the connection has ended')),
    publish(subject, body, given) {
      connection.publish(subject, body, { headers: encodedHeaders(given) })
    },
    flush: () => connection.flush(),
    subscribe(subject, take) {
      connection.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) take(arrived(message))
        },
      })
    },
    streams: () => streamsOf(client, connection, settings.copies),
    close: () => connection.close(),
  }
}
