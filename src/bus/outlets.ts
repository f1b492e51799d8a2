// The two ways of giving messages to NATS. Both say when the oldest of those under way were taken.

import type { NatsStreams } from './nats/streams.ts'
import { type Connection, reasonOf } from './nats.ts'
import { idHeader } from './nats-subject.ts'

export type Outlet = {
  send(subject: string, body: string, headers: Record<string, string>): void
  close(): void
}
export type Hears = {
  /** The oldest so many of those under way. */
  taken(count: number): void
  /** What is under way may be lost: it has to be looked where things are. */
  failed(reason: string): void
}

/** What a stream is told to expect takes so many bytes at most. */
export const expectedBytes = 128

/** Into a stream: each message follows the one before it, or is refused. */
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
      // What the stream has had before was not stored again, and what comes behind it is refused.
      acknowledged = number
      taken(1)
    }
  })
  return {
    send(subject, body, headers) {
      publish(sent + 1, subject, body, {
        ...headers,
        'Nats-Expected-Last-Sequence': String(sent),
        // A foreign message may have taken the sequence of the one before, which then is missing.
        ...(previous === undefined ? {} : { 'Nats-Expected-Last-Msg-Id': previous }),
      })
      sent++
      previous = headers[idHeader]
    },
    close,
  }
}

/** To whoever listens now: the server is asked whether it has taken them. */
export const plainOutlet = (connection: Connection, { taken, failed }: Hears): Outlet => {
  let sent = 0
  let isAsking = false
  let isClosed = false
  const ask = async () => {
    while (sent > 0) {
      const count = sent
      sent = 0
      await connection.flush()
      await new Promise(resolve => setImmediate(resolve)) // a refusal that came before is heard by then
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
