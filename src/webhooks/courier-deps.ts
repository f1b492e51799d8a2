// What the courier of one webhook needs.
import type { Events } from '../bus/events.ts'
import type { WebhookCommand } from '../contract/commands/webhook-commands.ts'
import type { Clock, Timers } from '../contract/ports.ts'
import type { Webhook } from '../history/webhook.ts'
import type { DeliveryCounts } from './counts.ts'
import type { Deliver } from './deliver.ts'
import type { Forms } from './letter.ts'

/** Sends a command to the actor of a webhook, and resolves after its turn. */
export type AskWebhook = (id: string, command: WebhookCommand) => Promise<unknown>
export const byServer = { principal: 'system', causation: 'webhooks' }

export type CourierDeps = {
  events: Pick<Events, 'subscribe'>
  ask: AskWebhook
  deliver: Pick<Deliver, 'try'>
  forms: Forms
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
