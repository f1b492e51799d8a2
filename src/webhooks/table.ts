// Keeps in memory all webhooks that are not deleted: read from the read model at the start, updated by each commit.
import type { Recorded } from '../contract/stored.ts'
import { afterEvent, isThere, type Webhook, webhookIn } from '../history/webhook.ts'

/** Called with every webhook that an event changed. */
type OnChange = (before: Webhook | undefined, after: Webhook) => void

export const createWebhookTable = () => {
  const byId = new Map<string, Webhook>()
  /** The number of webhooks of each user, without those that belong to a task. */
  const counts = new Map<string | null, number>()

  const put = (webhook: Webhook): void => {
    const { id, userId, ofTask } = webhook
    const before = byId.get(id)
    if (isThere(webhook)) byId.set(id, webhook)
    else byId.delete(id)
    const by = Number(isThere(webhook)) - Number(before !== undefined)
    if (!ofTask && by !== 0) counts.set(userId, (counts.get(userId) ?? 0) + by)
  }
  return {
    fill(webhooks: readonly Webhook[]): void {
      byId.clear()
      counts.clear()
      for (const webhook of webhooks) put(webhook)
    },
    /** Applies the events that were just committed. */
    take(events: readonly Recorded[], onChange: OnChange): void {
      for (const stored of events) {
        const id = webhookIn(stored)
        if (id === undefined) continue
        const before = byId.get(id)
        const after = afterEvent(before, stored)
        if (after === undefined) continue
        put(after)
        onChange(before, after)
      }
    },
    get: (id: string): Webhook | undefined => byId.get(id),
    all: (): Iterable<Webhook> => byId.values(),
    size: () => byId.size,
    countOf: (userId: string): number => counts.get(userId) ?? 0,
  }
}
export type WebhookTable = ReturnType<typeof createWebhookTable>
