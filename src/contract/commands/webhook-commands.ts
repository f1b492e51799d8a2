// The commands that callers and the server itself give to a webhook. Values of secrets are in no event: `at` of the
// actor keeps them apart, and the events name the reference.
import type { Sent, WebhookCreated, WebhookTried } from '../events/webhook-events.ts'
import type { ChangeWebhookBody } from '../wire.ts'

type Asked = { principal: string; causation: string }

/** How a try failed. `status`: what the receiver answered, if it answered. */
export type FailedTry = { ok: false; status?: number; error: string; ms: number; retryAfterMs?: number }

export type WebhookCommand = Asked &
  (
    | { type: 'CreateWebhook'; data: WebhookCreated }
    | { type: 'ChangeWebhook'; body: ChangeWebhookBody }
    /** `secret`: the new one. For a day, requests are signed with the old secret, too. */
    | { type: 'RotateSecret'; secret: string }
    | { type: 'DeleteWebhook'; reason: 'requested' | 'ended' }
    /** Its secret is missing, so nothing can be signed. */
    | { type: 'MissSecret' }
    /**
     * Every event up to `position` is done. `total`: the deliveries of the webhook until then, these included. `sent`: the
     * newest ones, of which the webhook may know some already. `chance`: a random number from 0 to 1.
     */
    | { type: 'MoveCheckpoint'; position: number; total: number; sent: readonly Sent[] }
    | {
        type: 'FailDelivery'
        position: number
        eventType: string
        bytes: number
        outcome: FailedTry
        chance: number
      }
    | { type: 'RecordTry'; data: WebhookTried }
  )
