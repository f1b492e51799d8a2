// Pulls the records of a stream, in order, through a consumer that lives in the memory of one server. A pull ends when
// that server, the consumer or a record is gone. Then another pull is opened behind the last record that came.
import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { load } from '../../bus/nats/client.ts'
import type { Timers } from '../../contract/ports.ts'
import type { SharedRecord } from '../shared-log.ts'
import { createArrivals } from './arrivals.ts'
import { NoCopy } from './no-answer.ts'

export type Pull = {
  /**
   * Resolves to the records that have come: at least one, or none when no record has come for `idleMs`. Rejects when
   * the pull has ended.
   */
  next(): Promise<SharedRecord[]>
  /** The server whose copy the records come from. */
  server: string
  close(): void
}
type Deps = {
  manager: JetStreamManager
  connection: NatsConnection
  name: string
  timers: Timers
  /** Milliseconds after which a request for records ends without any. */
  idleMs?: number | undefined
}

/** One request asks for at most this many records and bytes. */
const mostRecords = 1000
export const mostBytes = 8 * 1024 * 1024
const usualIdleMs = 3000
/**
 * Milliseconds between two signs of life of the server, and milliseconds without a sign until the server counts as
 * lost.
 */
const beatMs = 500
const silentMs = 3 * beatMs
/** Milliseconds after which a server drops a consumer that nobody uses. */
const inactiveMs = 5000
const nanoseconds = 1_000_000
/** JetStream chooses the server of a consumer by chance. So many consumers are made until one is at a server that is accepted. */
const mostTries = 16

/** Makes a consumer that reads from the sequence `from`. */
const addConsumer = async ({ manager, connection, name }: Deps, from: number) => {
  const [, { AckPolicy, DeliverPolicy }] = await load()
  const consumer = await manager.consumers.add(name, {
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: from,
    inactive_threshold: inactiveMs * nanoseconds,
    num_replicas: 1,
    mem_storage: true,
  })
  // A server that has no cluster serves all its consumers, but its answer does not say so.
  const server = consumer.cluster?.leader || (connection.info?.server_name ?? '')
  const drop = (): void => {
    if (!connection.isClosed()) manager.consumers.delete(name, consumer.name).catch(() => {})
  }
  return { name: consumer.name, server, pending: consumer.num_pending, drop }
}

/**
 * How many records after a sequence each server has, as far as its state says. JetStream chooses the servers, so one may be
 * missing.
 */
export const recordsAfter = async (
  deps: Deps,
  after: number,
  tries: number,
): Promise<Map<string, number>> => {
  const made = Array.from({ length: tries }, () => addConsumer(deps, after + 1))
  const found = new Map<string, number>()
  for (const each of await Promise.allSettled(made)) {
    if (each.status === 'rejected') continue
    found.set(each.value.server, each.value.pending)
    each.value.drop()
  }
  return found
}

/** `from` is the sequence of the first record. Rejects with NoCopy when no server is accepted. */
export const openPull = async (
  deps: Deps,
  from: number,
  accepts: (server: string) => boolean = () => true,
): Promise<Pull> => {
  const { connection, name, timers, idleMs = usualIdleMs } = deps
  const [{ createInbox }] = await load()
  let consumer = await addConsumer(deps, from)
  for (let tries = 1; !accepts(consumer.server); tries++) {
    consumer.drop()
    if (tries === mostTries) throw new NoCopy(name)
    consumer = await addConsumer(deps, from)
  }
  const request = JSON.stringify({
    batch: mostRecords,
    max_bytes: mostBytes,
    expires: idleMs * nanoseconds,
    idle_heartbeat: beatMs * nanoseconds,
  })
  const { server } = consumer
  const arrivals = createArrivals(timers, silentMs, server)
  const inbox = createInbox()
  const subscription = connection.subscribe(inbox, {
    callback: (error, message) => (error === null ? arrivals.take(message) : arrivals.end(error.message)),
  })
  void connection.closed().then(() => arrivals.end('the connection has ended'))
  const subject = `$JS.API.CONSUMER.MSG.NEXT.${name}.${consumer.name}`
  return {
    server,
    next: () => arrivals.next(mostRecords, () => connection.publish(subject, request, { reply: inbox })),
    close() {
      arrivals.end('it is closed')
      subscription.unsubscribe()
      consumer.drop()
    },
  }
}
