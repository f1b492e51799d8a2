import type { Principal } from '../contract/events/token-events.ts'
import { Refusal } from '../contract/refusals.ts'
import type { Webhook } from '../history/webhook.ts'

/** Returns a webhook if the principal may see it. Otherwise throws WebhookNotFound, as for an unknown webhook. */
export const visibleTo =
  (find: (id: string) => Webhook | undefined) =>
  ({ userId }: Principal, id: string): Webhook => {
    const webhook = find(id)
    if (webhook === undefined || (userId !== undefined && webhook.userId !== userId)) {
      throw new Refusal('WebhookNotFound')
    }
    return webhook
  }
