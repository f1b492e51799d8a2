// Delivers the events of one webhook, one after the other. An event is delivered when the receiver has answered with
// 2xx. The checkpoint never moves past an event that is still to be sent, so a crash repeats events but loses none.

import type { Timers } from '../contract/ports.ts'
import type { Webhook } from '../history/webhook.ts'
import type { CourierDeps } from './courier-deps.ts'
import { createHandling } from './handle.ts'
import { type Inbox, openInbox } from './inbox.ts'

/** A wait that can be ended early. Then the function that should follow is not called. */
const createPause = ({ after }: Timers) => {
  let cancel: (() => void) | undefined
  return {
    isOn: (): boolean => cancel !== undefined,
    begin(ms: number, then: () => void): void {
      cancel?.()
      cancel = after(ms, () => {
        cancel = undefined
        then()
      })
    },
    end(): void {
      cancel?.()
      cancel = undefined
    },
  }
}

/** Milliseconds after which a webhook tries again to read the log, or to write to it. */
const faultMs = 5000

/** When this text changes, the deliveries begin anew. */
const keyOf = ({ settings, secretRef }: Webhook): string => JSON.stringify([settings, secretRef])
const retryAtOf = ({ failing }: Webhook): number => failing?.retryAt ?? 0

export const createCourier = (id: string, deps: CourierDeps) => {
  const { clock, timers, stopping } = deps
  const handling = createHandling(id, deps)
  let inbox: Inbox | undefined
  /** The `keyOf` of the webhook for which the inbox was opened. */
  let key = ''
  const pause = createPause(timers)
  /** The time of the next try, if the courier waits for one; 0: it waits for none. */
  let retryAt = 0
  let sending: Promise<void> | undefined

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
    retryAt = 0
    waitFor(faultMs)
  }
  const open = (webhook: Webhook): void => {
    const after = Math.max(handling.reached(), webhook.checkpoint)
    key = keyOf(webhook)
    retryAt = retryAtOf(webhook)
    const wait = retryAt - clock.now()
    // While the courier waits, it keeps no events in memory.
    if (wait > 0) waitFor(wait)
    else inbox = openInbox(deps.events, webhook, after, { onMore: pump, onFault })
  }
  const pump = (): void => {
    const mine = inbox
    if (sending !== undefined || mine === undefined) return
    sending = handling
      .sendAll(mine, () => inbox === mine)
      .catch(onFault)
      .then(() => {
        sending = undefined
        // The webhook may have changed while its request was under way.
        const isAtEnd = inbox === mine && mine.next() === undefined
        if (!isAtEnd && !pause.isOn()) halt()
        review()
      })
  }
  /** Begins or ends deliveries, as the stored state of the webhook says. */
  function review(): void {
    if (sending !== undefined || stopping.aborted) return
    const webhook = deps.current(id)
    if (webhook === undefined || !deps.mayRun(webhook)) {
      handling.forgetLag()
      halt()
      return
    }
    // A change of the webhook ends the wait for the next try, even if all settings stay as they were.
    if (key !== keyOf(webhook) || (pause.isOn() && retryAt > retryAtOf(webhook))) halt()
    if (inbox === undefined && !pause.isOn()) open(webhook)
  }
  return {
    review,
    /** Moves the checkpoint past events that are not sent, if it is at least `atLeast` positions behind them. */
    advance(atLeast: number): void {
      const webhook = deps.current(id)
      const passed = inbox?.passed()
      if (webhook === undefined || passed === undefined || sending !== undefined) return
      if (passed - webhook.checkpoint >= atLeast) handling.passed(passed)
    },
    lagMs: handling.lagMs,
    /** Delivers nothing more, and stores the checkpoint. */
    async stop(): Promise<void> {
      halt()
      await sending
      await handling.stop()
    },
  }
}
export type Courier = ReturnType<typeof createCourier>
