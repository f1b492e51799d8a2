// Stores that a try failed, and what follows from it.
import type { Published } from '../bus/published.ts'
import type { WebhookEvent } from '../contract/decoders/webhook.ts'
import type { Clock } from '../contract/ports.ts'
import type { Webhook } from '../history/webhook.ts'
import { byServer, type Changes } from './changes.ts'
import type { DeliveryCounts } from './counts.ts'
import type { Outcome } from './send.ts'
import { verdictOf } from './verdict.ts'

type Deps = { changes: Pick<Changes, 'change'>; counts: DeliveryCounts; clock: Clock; chance: () => number }
type Failure = Extract<Outcome, { ok: false }>

const disabled = (reason: 'gone' | 'failing' | 'secret_missing'): WebhookEvent => ({
  type: 'WebhookDisabled',
  data: { reason, by: 'system' },
})

const eventsOf = (
  webhook: Webhook,
  { position, event }: Published,
  { bytes, outcome }: { bytes: number; outcome: Failure },
  { clock, chance }: Deps,
): WebhookEvent[] => {
  const now = clock.now()
  const { failing } = webhook
  const attempt = (failing?.position === position ? failing.attempts : 0) + 1
  const { status, error, ms } = outcome
  const failed = {
    position,
    type: event.type,
    attempt,
    ms,
    error,
    ...(status === undefined ? {} : { status }),
  }
  const verdict = verdictOf(webhook, { attempt, bytes, outcome }, now, chance())
  if (verdict.next === 'skip') return [{ type: 'WebhookDeliverySkipped', data: failed }]
  const retry_at = new Date(verdict.next === 'retry' ? verdict.at : now).toISOString()
  const recorded: WebhookEvent = { type: 'WebhookDeliveryFailed', data: { ...failed, retry_at } }
  return verdict.next === 'retry' ? [recorded] : [recorded, disabled(verdict.reason)]
}

export const createFailures = (id: string, deps: Deps) => ({
  /** Resolves to true when the event was skipped, so that the next event can be sent. */
  async record(published: Published, bytes: number, outcome: Failure | 'secret_missing'): Promise<boolean> {
    let isSkipped = false
    await deps.changes.change(id, byServer, webhook => {
      if (webhook.disabled !== null) return []
      if (outcome === 'secret_missing') return [disabled('secret_missing')]
      const events = eventsOf(webhook, published, { bytes, outcome }, deps)
      isSkipped = events[0]?.type === 'WebhookDeliverySkipped'
      return events
    })
    if (outcome !== 'secret_missing') deps.counts.ended(isSkipped ? 'skipped' : 'failed')
    return isSkipped
  },
})
