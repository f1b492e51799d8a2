// Collects what arrives for a consumer: records, and statuses of the server.
import type { Msg } from '@nats-io/transport-node'
import type { Timers } from '../../contract/ports.ts'
import type { SharedRecord } from '../shared-log.ts'

/** The status of a message that only shows that the server is alive. */
const alive = 100
/** Statuses which say that the request for records has ended. */
const over = new Set([404, 408])
/** Descriptions of status 409 which say that the request has brought as much as it asked for. */
const enough = /maxbytes|batch completed/i

/**
 * The place of a record in its stream, and its number among the records that the consumer has sent. Both are in the
 * address for the receipt: $JS.ACK.stream.consumer.tries.PLACE.NUMBER.time.pending, with two more words before the
 * stream and one at the end in a newer form.
 */
const placeOf = (reply: string): { sequence: number; number: number } => {
  const words = reply.split('.')
  const at = words.length === 9 ? 5 : 7
  return { sequence: Number(words[at]), number: Number(words[at + 1]) }
}

/** `silentMs`: milliseconds without a sign of life after which the consumer counts as ended. `server`: its server. */
export const createArrivals = (timers: Timers, silentMs: number, server: string) => {
  let records: SharedRecord[] = []
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
    if (number === sent) records.push({ sequence, bytes, server })
    else end(`a record before ${sequence} was lost on its way`)
    wake()
  }
  const takeStatus = (code: number, description: string): void => {
    if (over.has(code)) isIdle = true
    else if (code !== alive && !(code === 409 && enough.test(description))) end(description)
    if (code !== alive) wanted = 0
    wake()
  }
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
    end,
    take({ reply, data, headers }: Msg): void {
      if (reply?.startsWith('$JS.ACK.')) takeRecord(reply, data)
      else takeStatus(headers?.code ?? 0, headers?.description || 'the consumer has ended')
    },
    /** The records that have arrived; an empty list when a request ends without any. `ask` requests `most` records. */
    async next(most: number, ask: () => void): Promise<SharedRecord[]> {
      isIdle = false
      while (records.length === 0 && !isIdle) {
        if (ended !== undefined) throw ended
        if (wanted <= 0) {
          wanted = most
          ask()
        }
        await something()
      }
      const taken = records
      records = []
      return taken
    },
  }
}
