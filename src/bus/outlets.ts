// The two ways to send messages to NATS. Both report when the oldest messages under way were taken.

import type { NatsStreams } from './nats/streams.ts'
import { type Connection, reasonOf } from './nats.ts'
import { idHeader } from './nats-subject.ts'

export type Outlet = {
  send(subject: string, body: string, headers: Record<string, string>): void
  close(): void
}
export type Hears = {
  /** NATS has taken the oldest `count` messages under way. */
  taken(count: number): void
  /** The messages under way may be lost: the sender must find out how far NATS is. */
  failed(reason: string): void
}

/** Most bytes of the `Nats-Expected-…` headers of one message. */
export const expectedBytes = 128

/** Publishes into a stream, which refuses a message that does not follow the one before it. */
export const streamOutlet = (
  streams: NatsStreams,
  lastSequence: number,
  { taken, failed }: Hears,
): Outlet => {
  let sent = lastSequence
  let acknowledged = lastSequence
  let previous: string | undefined
  const { publish, close } = streams.publisher((number, receipt) => {
    if ('refused' in receipt) failed(`it is refused: ${receipt.refused}`)
    else if (number !== acknowledged + 1) failed('it is acknowledged in another order')
    else {
      // The stream does not store a message again that it already has, and refuses the messages after it.
      acknowledged = number
      taken(1)
    }
  })
  return {
    send(subject, body, headers) {
      publish(sent + 1, subject, body, {
        ...headers,
        'Nats-Expected-Last-Sequence': String(sent),
        // A foreign message may have taken the sequence of our previous message, which is then missing.
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
      await new Promise(resolve => setImmediate(resolve)) // a refusal that came before is handled by then
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
