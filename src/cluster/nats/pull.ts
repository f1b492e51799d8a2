// Pulls the records of a stream, in order, through a consumer that lives in the memory of one server. A pull ends when
// that server, the consumer or a record is gone. Then another pull is opened behind the last record that came.
import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { load } from '../../bus/nats/client.ts'
import type { Timers } from '../../contract/ports.ts'
import type { SharedRecord } from '../shared-log.ts'
import { createArrivals } from './arrivals.ts'

export type Pull = {
  /**
   * Resolves to the records that have come: at least one, or none when no record has come for `idleMs`. Rejects when
   * the pull has ended.
   */
  next(): Promise<SharedRecord[]>
  close(): void
}
type Deps = { manager: JetStreamManager; connection: NatsConnection; name: string; timers: Timers }

/** One request asks for at most this many records and bytes. */
const mostRecords = 1000
export const mostBytes = 8 * 1024 * 1024
/** Milliseconds after which a request for records ends without any. */
const idleMs = 3000
/**
 * Milliseconds between two signs of life of the server, and milliseconds without a sign until the server counts as
 * lost.
 */
const beatMs = 500
const silentMs = 3 * beatMs
/** Milliseconds after which a server drops a consumer that nobody uses. */
const keptMs = 5000
const nanoseconds = 1_000_000

/** `from` is the sequence of the first record. */
export const openPull = async ({ manager, connection, name, timers }: Deps, from: number): Promise<Pull> => {
  const [{ createInbox }, { AckPolicy, DeliverPolicy }] = await load()
  const consumer = await manager.consumers.add(name, {
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: from,
    inactive_threshold: keptMs * nanoseconds,
    num_replicas: 1,
    mem_storage: true,
  })
  const request = JSON.stringify({
    batch: mostRecords,
    max_bytes: mostBytes,
    expires: idleMs * nanoseconds,
    idle_heartbeat: beatMs * nanoseconds,
  })
  const arrivals = createArrivals(timers, silentMs)
  const inbox = createInbox()
  const subscription = connection.subscribe(inbox, {
    callback: (error, message) => (error === null ? arrivals.take(message) : arrivals.end(error.message)),
  })
  void connection.closed().then(() => arrivals.end('the connection has ended'))
  const subject = `$JS.API.CONSUMER.MSG.NEXT.${name}.${consumer.name}`
  return {
    next: () => arrivals.next(mostRecords, () => connection.publish(subject, request, { reply: inbox })),
    close() {
      arrivals.end('it is closed')
      subscription.unsubscribe()
      if (!connection.isClosed()) manager.consumers.delete(name, consumer.name).catch(() => {})
    },
  }
}
