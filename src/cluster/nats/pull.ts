// Pulls the records of a stream, in order, through a consumer that lives in the memory of one server. It ends when that
// server, the consumer or a record is gone; then another one is opened behind the last record that came.
import type { JetStreamManager } from '@nats-io/jetstream'
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { load } from '../../bus/nats/client.ts'
import type { Timers } from '../../contract/ports.ts'
import type { SharedRecord } from '../shared-log.ts'

export type Pull = {
  /** The records that are there, at least one; none when there was none for some seconds. Rejects when it has ended. */
  next(): Promise<SharedRecord[]>
  close(): void
}
type Deps = { manager: JetStreamManager; connection: NatsConnection; name: string; timers: Timers }

/** The most records and bytes that are on the way at once. */
const mostRecords = 1000
export const mostBytes = 8 * 1024 * 1024
/** Milliseconds after which a request for records ends without any. */
const idleMs = 3000
/** Milliseconds between two signs of life of the server, and without one until it is given up. */
const beatMs = 500
const silentMs = 3 * beatMs
/** Milliseconds after which a server drops a consumer that nobody uses. */
const keptMs = 5000
const nanoseconds = 1_000_000

/** Statuses of messages without a record: a sign of life; the request has ended. */
const alive = 100
const over = new Set([404, 408])
/** Words in the description of status 409 that say that the request has ended because it has got enough. */
const enough = /maxbytes|batch completed/i

/**
 * The place of a record in its stream, and its number among those that the consumer has sent. Both are in the address
 * for the receipt: $JS.ACK.stream.consumer.tries.PLACE.NUMBER.time.pending, with two more words before the stream and
 * one at the end in a newer form.
 */
const placeOf = (reply: string): { sequence: number; number: number } => {
  const words = reply.split('.')
  const at = words.length === 9 ? 5 : 7
  return { sequence: Number(words[at]), number: Number(words[at + 1]) }
}

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
  let arrived: SharedRecord[] = []
  /** How many records the present request may still bring. */
  let wanted = 0
  /** How many records the consumer has sent. */
  let sent = 0
  let isIdle = false
  let ended: Error | undefined
  let wake = () => {}

  const end = (why: string): void => {
    ended ??= new Error(why)
    wake()
  }
  const takeRecord = (reply: string, bytes: Uint8Array): void => {
    const { sequence, number } = placeOf(reply)
    sent++
    wanted--
    if (number === sent) arrived.push({ sequence, bytes })
    else end(`a record before ${sequence} was lost on its way`)
    wake()
  }
  const takeStatus = (code: number, description: string): void => {
    if (over.has(code)) isIdle = true
    else if (code !== alive && !(code === 409 && enough.test(description))) end(description)
    if (code !== alive) wanted = 0
    wake()
  }
  const take = ({ reply, data, headers }: Msg): void =>
    reply?.startsWith('$JS.ACK.')
      ? takeRecord(reply, data)
      : takeStatus(headers?.code ?? 0, headers?.description || 'the consumer has ended')
  const inbox = createInbox()
  const subscription = connection.subscribe(inbox, {
    callback: (error, message) => (error === null ? take(message) : end(error.message)),
  })
  void connection.closed().then(() => end('the connection has ended'))
  /** Resolves when something has arrived; ends the pull when nothing has. */
  const something = (): Promise<void> =>
    new Promise(resolve => {
      const cancel = timers.after(silentMs, () => end('the server is silent'))
      wake = () => {
        cancel()
        wake = () => {}
        resolve()
      }
    })
  return {
    async next() {
      isIdle = false
      while (arrived.length === 0 && !isIdle) {
        if (ended !== undefined) throw ended
        if (wanted <= 0) {
          wanted = mostRecords
          connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${name}.${consumer.name}`, request, { reply: inbox })
        }
        await something()
      }
      const records = arrived
      arrived = []
      return records
    },
    close() {
      end('it is closed')
      subscription.unsubscribe()
      if (!connection.isClosed()) manager.consumers.delete(name, consumer.name).catch(() => {})
    },
  }
}
