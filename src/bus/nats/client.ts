// Loads the NATS client at its first use, and gives its messages a type of our own.
import type { Msg, MsgHdrs } from '@nats-io/transport-node'

const loading = () => Promise.all([import('@nats-io/transport-node'), import('@nats-io/jetstream')])
export type Client = Awaited<ReturnType<typeof loading>>
let loaded: Promise<Client> | undefined
export const load = (): Promise<Client> => {
  loaded ??= loading() // even an import of what is loaded costs time, and an append asks for it
  return loaded
}

export const headersOf = ([{ headers }]: Client, given: Record<string, string>): MsgHdrs => {
  const all = headers()
  for (const name of Object.keys(given)) all.set(name, given[name] as string)
  return all
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
