// Makes one connection of the NATS client. When the connection breaks, it has ended: the client neither connects again
// nor keeps messages for later. So the caller knows that no message of a connection is sent after the end of it.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Client } from './client.ts'
import type { NatsSettings } from './nats-settings.ts'

export type Patience = {
  /** An attempt to connect to one server fails after this many milliseconds. */
  connectMs: number
  /** Milliseconds between two pings, by which the client notices that the server is away. */
  pingMs: number
}

const usual: Patience = { connectMs: 5000, pingMs: 5000 }

const loginOptions = ({ login }: NatsSettings, [{ credsAuthenticator }]: Client) => {
  if (login.by === 'user') return { user: login.user, pass: login.password }
  if (login.by === 'token') return { token: login.token }
  if (login.by === 'credentials') return { authenticator: credsAuthenticator(readFileSync(login.file)) }
  return {}
}

/** The client always checks a host name against the certificate, but an IP address only if `host` has this address. */
const tlsOptions = ({ tls }: NatsSettings, server: string) => {
  const host = server.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  return tls === undefined ? {} : { tls: { ...tls, ...(isIP(host) ? { host } : {}) } }
}

/** Connects to the first server that answers. When none answers, rejects with the error of the last server. */
export const connectTo = async (
  settings: NatsSettings,
  client: Client,
  { connectMs, pingMs }: Patience = usual,
): Promise<NatsConnection> => {
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
