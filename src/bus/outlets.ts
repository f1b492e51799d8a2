// Sends messages to NATS in one of two ways: into a stream of JetStream, or only to the current listeners. Either way,
// the outlet reports when NATS has taken the oldest messages under way.
import { yieldToLoop } from '../platform/loop.ts'
import { type Connection, reasonOf } from './nats/nats.ts'
import { idHeader } from './nats/nats-subject.ts'
import type { NatsStreams } from './nats/streams.ts'

export type Outlet = {
  send(subject: string, body: string, headers: Record<string, string>): void
  close(): void
}
export type Hears = {
  /** NATS has taken the oldest `count` messages under way. */
  taken(count: number): void
  /** The messages under way may be lost: the sender must find out which events NATS has. */
  failed(reason: string): void
}

/** The `Nats-Expected-…` headers of one message have at most this many bytes. */
export const expectedBytes = 128

/** Publishes into a stream, which refuses a message that does not come right after the message before it. */
export const streamOutlet = (
  streams: NatsStreams,
  lastSequence: number,
  { taken, failed }: Hears,
): Outlet => {
  let sent = lastSequence
  let acknowledged = lastSequence
  let previous: string | undefined
  const { publish, close } = streams.publisher((number, receipt) => {
    if ('refused' in receipt) failed(`the stream refuses a message: ${receipt.refused}`)
    else if (number !== acknowledged + 1) failed('the stream acknowledges messages in another order')
    else {
      // A message that the stream already had is not stored again. Then the stream refuses the messages after it.
      acknowledged = number
      taken(1)
    }
  })
  return {
    send(subject, body, headers) {
      publish(sent + 1, subject, body, {
        ...headers,
        'Nats-Expected-Last-Sequence': String(sent),
        // The stream also checks the id of our previous message: a foreign message may have taken its sequence number,
        // and then our previous message is missing.
        ...(previous === undefined ? {} : { 'Nats-Expected-Last-Msg-Id': previous }),
      })
      sent++
      previous = headers[idHeader]
    },
    close,
  }
}

/** Publishes to the current listeners. A flush shows that the NATS server has taken the messages. */
export const plainOutlet = (connection: Connection, { taken, failed }: Hears): Outlet => {
  let sent = 0
  let isAsking = false
  let isClosed = false
  const ask = async () => {
    while (sent > 0) {
      const count = sent
      sent = 0
      await connection.flush()
      await yieldToLoop() // a refusal that came before the flush is handled by then
      if (isClosed) return
      taken(count)
    }
    isAsking = false
  }
  return {
    send(subject, body, headers) {
      connection.publish(subject, body, headers)
      sent++
      if (isAsking) return
      isAsking = true
      queueMicrotask(() => ask().catch(error => failed(reasonOf(error))))
    },
    close: () => {
      isClosed = true
    },
  }
}
