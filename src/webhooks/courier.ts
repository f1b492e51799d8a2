// Delivers the events of one webhook, one after the other. An event is delivered when the receiver has answered with
// 2xx; only then the checkpoint moves, so a crash at any point repeats events but loses none.
import type { Webhook } from '../history/webhook.ts'
import type { CourierDeps } from './courier-deps.ts'
import { createHandling } from './handle.ts'
import { type Inbox, openInbox } from './inbox.ts'
import { createPause } from './pause.ts'

/** Milliseconds after which a webhook tries again to read the log, or to write to it. */
const faultMs = 5000

/** Deliveries begin anew when this changes. */
const keyOf = ({ settings, secretRef }: Webhook): string => JSON.stringify([settings, secretRef])

export const createCourier = (id: string, deps: CourierDeps) => {
  const { clock, timers, stopping } = deps
  const { handle, finish, checkpoints } = createHandling(id, deps)
  let inbox: Inbox | undefined
  /** What the inbox was opened for. */
  let key = ''
  const pause = createPause(timers)
  /** Every event up to this position is behind us. */
  let reached = 0
  let sending: Promise<void> | undefined
  /** The time of the oldest event that was tried and is not delivered. */
  let oldest: number | undefined

  const halt = (): void => {
    inbox?.close()
    inbox = undefined
    pause.end()
  }
  const waitFor = (ms: number): void => {
    halt()
    pause.begin(ms, review)
  }
  const onFault = (error: unknown): void => {
    if (stopping.aborted) return
    deps.onFault(error, id)
    waitFor(faultMs)
  }
  const open = (webhook: Webhook): void => {
    reached = Math.max(reached, webhook.checkpoint)
    key = keyOf(webhook)
    const wait = (webhook.failing?.retryAt ?? 0) - clock.now()
    // While it waits, it holds no events.
    if (wait > 0) waitFor(wait)
    else inbox = openInbox(deps.events, webhook, reached, { onMore: pump, onFault })
  }
  /** Sends until nothing waits. One runs at a time, so at most one request of a webhook is under way. */
  const sendAll = async (mine: Inbox): Promise<void> => {
    for (let next = mine.next(); next !== undefined && inbox === mine; next = mine.next()) {
      const webhook = deps.current(id)
      if (webhook === undefined || !deps.mayRun(webhook)) return
      oldest ??= Date.parse(next.published.event.timestamp)
      if (!(await handle(webhook, next))) return
      reached = Math.max(reached, next.published.position)
      oldest = undefined
      if (next.isLast) return finish()
      mine.drop()
    }
  }
  const pump = (): void => {
    const mine = inbox
    if (sending !== undefined || mine === undefined) return
    sending = sendAll(mine)
      .catch(onFault)
      .then(() => {
        sending = undefined
        // The webhook may have changed while its request was under way.
        const isAtEnd = inbox === mine && mine.next() === undefined
        if (!isAtEnd && !pause.isOn()) halt()
        review()
      })
  }
  /** Begins or ends deliveries, as the webhook is stored now. */
  function review(): void {
    if (sending !== undefined || stopping.aborted) return
    const webhook = deps.current(id)
    if (webhook === undefined || !deps.mayRun(webhook)) {
      oldest = undefined
      halt()
      return
    }
    if (key !== keyOf(webhook)) halt()
    if (inbox === undefined && !pause.isOn()) open(webhook)
  }
  return {
    review,
    /** Milliseconds since the oldest event that was tried and is not delivered; 0: there is none. */
    lagMs: (): number => (oldest === undefined ? 0 : Math.max(0, clock.now() - oldest)),
    /** Delivers nothing more, and stores the checkpoint. */
    async stop(): Promise<void> {
      halt()
      await sending
      await checkpoints.flush()
      checkpoints.stop()
    },
  }
}
export type Courier = ReturnType<typeof createCourier>
