// The metrics of webhooks.
import { counter, type Family, gauge } from './exposition.ts'

export type WebhookCounts = {
  outcomes: Readonly<Record<string, number>>
  webhooks: number
  lagMs: number
}

export const webhookFamilies = (counts: () => WebhookCounts): Family[] => [
  gauge('reprise_webhooks', 'Webhooks that are not deleted.', () => counts().webhooks),
  counter(
    'reprise_webhook_deliveries_total',
    'Tries of deliveries, by outcome: delivered, failed, or skipped (failed, and not tried again).',
    () => Object.entries(counts().outcomes).map(([outcome, count]) => [{ outcome }, count]),
  ),
  gauge(
    'reprise_webhook_lag_seconds',
    'Age of the oldest event that an enabled webhook has tried but not delivered yet; 0 when there is no such event.',
    () => counts().lagMs / 1000,
  ),
]
