// Secrets and signatures of Standard Webhooks (https://www.standardwebhooks.com): `v1` is an HMAC-SHA-256.
import { createHmac } from 'node:crypto'
import type { Random } from '../contract/ports.ts'

const prefix = 'whsec_'
/** Bytes of a secret that the server makes. The standard recommends 24 to 64. */
const secretBytes = 32

export const newSecret = (random: Random): string =>
  prefix + Buffer.from(random.text(secretBytes), 'base64url').toString('base64')

/** The message that a receiver verifies. `timestamp`: Unix seconds at which this try began. */
export type Message = { id: string; timestamp: number; body: string }

const signature = (secret: string, { id, timestamp, body }: Message): string =>
  createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')

/** The headers of a message, with one signature for each secret. Without a secret, the message is not signed. */
export const signedHeaders = (message: Message, secrets: readonly string[]): Record<string, string> => ({
  'webhook-id': message.id,
  'webhook-timestamp': String(message.timestamp),
  ...(secrets.length === 0
    ? {}
    : { 'webhook-signature': secrets.map(secret => `v1,${signature(secret, message)}`).join(' ') }),
})
