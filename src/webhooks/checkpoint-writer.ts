// Stores the checkpoint of a webhook and its new deliveries, at most once a second.
import type { Clock, Timers } from '../contract/ports.ts'
import type { Sent } from '../contract/webhook-events.ts'
import { byServer, type Changes } from './changes.ts'

/** Milliseconds between two checkpoints of a webhook. */
const betweenMs = 1000
/** The most deliveries that a checkpoint lists. */
const listedAtMost = 100

type Deps = { changes: Pick<Changes, 'change'>; clock: Clock; timers: Timers }

export const createCheckpointWriter = (id: string, { changes, clock, timers }: Deps) => {
  let sent: Sent[] = []
  let count = 0
  /** The deliveries of the newest write, unless it has succeeded. `total`: all deliveries of the webhook with these. */
  let doubtful: { count: number; sent: Sent[]; total: number } | undefined
  /** The position up to which nothing is left to send, and the newest checkpoint in the log. */
  let position = 0
  let stored = 0
  let writtenAt = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined
  let writing: Promise<void> | undefined

  const write = async (): Promise<void> => {
    let upTo = position
    writtenAt = clock.now()
    try {
      await changes.change(id, byServer, webhook => {
        if (doubtful !== undefined && webhook.delivered < doubtful.total) {
          sent = [...doubtful.sent, ...sent].slice(-listedAtMost)
          count += doubtful.count
        }
        const data = { position, count, sent }
        doubtful = { count, sent, total: webhook.delivered + count }
        upTo = position
        sent = []
        count = 0
        return [{ type: 'WebhookCheckpoint', data }]
      })
      stored = upTo
      doubtful = undefined
    } catch {
      // The log cannot be written, and reports that itself. The next checkpoint lists these deliveries, too, unless the
      // log has them then.
    }
  }
  const begin = (): void => {
    writing = write().finally(() => {
      writing = undefined
      soon()
    })
  }
  const soon = (): void => {
    if (position <= stored || cancel !== undefined || writing !== undefined) return
    const wait = writtenAt + betweenMs - clock.now()
    if (wait <= 0) {
      begin()
      return
    }
    cancel = timers.after(Math.min(wait, betweenMs), () => {
      cancel = undefined
      if (writing === undefined) begin()
    })
  }
  return {
    /** An event was delivered. */
    delivered(event: Sent): void {
      sent.push(event)
      if (sent.length > listedAtMost) sent.shift()
      count++
      position = event.position
      soon()
    },
    /** No event up to this position is left to send. */
    passed(upTo: number): void {
      position = Math.max(position, upTo)
      soon()
    },
    /** Stores the checkpoint at once if it is not stored yet. */
    async flush(): Promise<void> {
      await writing
      cancel?.()
      cancel = undefined
      if (position > stored) await write()
    },
    stop: () => cancel?.(),
  }
}
