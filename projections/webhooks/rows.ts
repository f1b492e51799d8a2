// Reads the rows of webhooks: one by its id, those that are not deleted, and the deliveries of one webhook.
import type { Webhook } from '../../src/history/webhook.ts'
import type { ReadStore } from '../store.ts'

/** A request for a delivery. `by`: the token that asked for it; null: the server tried by itself. */
export type TryRow = {
  at: string
  ms: number
  status: number | null
  error: string | null
  by: string | null
}

export type DeliveryRow = {
  position: number
  type: string
  outcome: 'delivered' | 'failed' | 'skipped'
  attempts: number
  at: string
  ms: number
  status: number | null
  error: string | null
  retryAt: string | null
  /** The newest tries, oldest first. */
  tries: TryRow[]
}

const viewIn = (view: string): Webhook => JSON.parse(view)
const rowIn = (delivery: string): DeliveryRow => JSON.parse(delivery)

export const createWebhookRows = (store: ReadStore) => {
  const byId = store.prepare<[string], string>('SELECT view FROM webhooks WHERE id = ?').pluck()
  const there = store.prepare<[], string>('SELECT view FROM webhooks WHERE deleted = 0 ORDER BY made').pluck()
  const page = store
    .prepare<[{ after: number; user: string | null; limit: number }], string>(
      `SELECT view FROM webhooks
       WHERE deleted = 0 AND made > :after AND (:user IS NULL OR user_id = :user) ORDER BY made LIMIT :limit`,
    )
    .pluck()
  const deliveries = store
    .prepare<[{ webhook: string; before: number; limit: number }], string>(
      `SELECT delivery FROM webhook_deliveries
       WHERE webhook = :webhook AND position < :before ORDER BY position DESC LIMIT :limit`,
    )
    .pluck()
  const delivery = store
    .prepare<[string, number], string>(
      'SELECT delivery FROM webhook_deliveries WHERE webhook = ? AND position = ?',
    )
    .pluck()
  return {
    /** The delivery of the event at a position. */
    delivery(webhook: string, position: number): DeliveryRow | undefined {
      const found = delivery.get(webhook, position)
      return found === undefined ? undefined : rowIn(found)
    },
    byId(id: string): Webhook | undefined {
      const view = byId.get(id)
      return view === undefined ? undefined : viewIn(view)
    },
    there: (): Webhook[] => there.all().map(viewIn),
    /** The webhooks that were made after a position. `user`: null for those of all users. */
    page: (after: number, user: string | null, limit: number): Webhook[] =>
      page.all({ after, user, limit }).map(viewIn),
    /** The deliveries of events before a position, newest first. */
    deliveries: (webhook: string, before: number, limit: number): DeliveryRow[] =>
      deliveries.all({ webhook, before, limit }).map(rowIn),
  }
}
