// Stores the checkpoint of a webhook and its new deliveries, at most once a second.
import { listedAtMost } from '../../actors/webhook/decide.ts'
import type { Sent } from '../contract/events/webhook-events.ts'
import { byServer, type CourierDeps } from './courier-deps.ts'

/** Milliseconds between two checkpoints of a webhook. */
const betweenMs = 1000
type Deps = Pick<CourierDeps, 'ask' | 'clock' | 'timers' | 'current'>

export const createCheckpointWriter = (id: string, { ask, clock, timers, current }: Deps) => {
  /** The newest deliveries that may not be stored yet. */
  let sent: Sent[] = []
  /** The number of all deliveries of the webhook; undefined: there was none since the start. */
  let total: number | undefined
  /** The position up to which nothing is left to send, and the newest checkpoint in the log. */
  let position = 0
  let stored = 0
  let writtenAt = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined
  let writing: Promise<void> | undefined

  const known = () => current(id)?.delivered ?? 0
  const write = async (): Promise<void> => {
    const done = { position, total: total ?? known(), sent: [...sent] }
    writtenAt = clock.now()
    try {
      await ask(id, { type: 'MoveCheckpoint', ...done, ...byServer })
    } catch {
      // The log cannot be written, and reports that itself. The next checkpoint lists these deliveries, too, unless the
      // log has them then.
      return
    }
    stored = done.position
    const later = (total ?? done.total) - done.total
    sent = later === 0 ? [] : sent.slice(-later)
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
      total = (total ?? known()) + 1
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
