// Loads the NATS client at its first use, and gives its messages a type of our own.
import type { Msg, MsgHdrs } from '@nats-io/transport-node'

const loading = async () => {
  const { jetstream, transport } = await import('./library.ts')
  return [transport, jetstream] as const
}
export type Client = Awaited<ReturnType<typeof loading>>
let loaded: Promise<Client> | undefined
export const load = (): Promise<Client> => {
  loaded ??= loading() // even an import of what is loaded costs time, and an append asks for it
  return loaded
}

/**
 * The headers of a message that is sent, as the bytes that NATS expects. The client asks such headers for nothing but these
 * bytes. Its own headers look through all names whenever one is set: with them, sending a long log takes a third more time.
 */
export const encodedHeaders = (given: Record<string, string>): MsgHdrs => {
  let text = 'NATS/1.0\r\n'
  for (const name of Object.keys(given)) text += `${name}: ${oneLine(given[name] as string)}\r\n`
  const bytes = Buffer.from(`${text}\r\n`)
  return { encode: () => bytes } as unknown as MsgHdrs
}

/** A line break in a value would begin another header. */
const oneLine = (value: string): string => {
  if (/[\r\n]/.test(value)) throw new Error('the value of a NATS header contains a line break')
  return value
}

export type NatsMessage = {
  /** Undefined: there is no header of this name. */
  header(name: string): string | undefined
  body(): string
}

export const messageOf = (headers: () => MsgHdrs | undefined, body: () => string): NatsMessage => ({
  header: name => headers()?.get(name) || undefined,
  body,
})
export const arrived = (message: Msg): NatsMessage =>
  messageOf(
    () => message.headers,
    () => message.string(),
  )
