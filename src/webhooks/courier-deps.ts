// What the courier of one webhook needs.
import type { Events } from '../bus/events.ts'
import type { Clock, Timers } from '../contract/ports.ts'
import type { Webhook } from '../history/webhook.ts'
import type { Changes } from './changes.ts'
import type { DeliveryCounts } from './counts.ts'
import type { Deliver } from './deliver.ts'

export type CourierDeps = {
  events: Pick<Events, 'subscribe'>
  changes: Pick<Changes, 'change'>
  deliver: Pick<Deliver, 'try'>
  counts: DeliveryCounts
  clock: Clock
  timers: Timers
  /** A number from 0 to 1. */
  chance: () => number
  /** Aborts when the server stops. */
  stopping: AbortSignal
  /** The webhook as it is stored; undefined when it is deleted. */
  current: (id: string) => Webhook | undefined
  /** Whether the webhook may deliver: it is enabled, and its maker has a valid token. */
  mayRun: (webhook: Webhook) => boolean
  onFault: (error: unknown, id: string) => void
}
