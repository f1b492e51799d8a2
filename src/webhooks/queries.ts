// The query service of webhooks. A principal gets the same answer for a webhook that it may not see as for one that does
// not exist.
import { createCurrent, type Reading } from '../../projections/current.ts'
import type { ReadStore } from '../../projections/store.ts'
import { createWebhookRows, type DeliveryRow } from '../../projections/webhooks/rows.ts'
import type { Principal } from '../contract/events/token-events.ts'
import type { WebhookDelivery, WebhookInfo } from '../contract/wire.ts'
import type { Failing, Webhook } from '../history/webhook.ts'
import { visibleTo } from './visible.ts'

/** A page behind the position `after`. One row more than `limit` is read, which says whether more follow. */
export type PageQuery = { limit: number; after: number | undefined }

const iso = (millis: number): string => new Date(millis).toISOString()

const failingOf = ({ position, type, attempts, retryAt, status, error }: Failing) => ({
  event_id: String(position),
  type,
  attempts,
  next_attempt_at: iso(retryAt),
  ...(status === undefined ? {} : { status }),
  error,
})

const statusOf = ({ deleted, disabled }: Webhook, mayAct: boolean): WebhookInfo['status'] => {
  if (deleted !== null) return 'ended'
  if (disabled !== null) return 'disabled'
  return mayAct ? 'active' : 'stopped'
}

/** The webhook as it is shown. Values of headers are hidden. */
export const infoOf = (webhook: Webhook, mayAct: boolean): WebhookInfo => {
  const { settings, failing, disabled } = webhook
  return {
    id: webhook.id,
    url: settings.url,
    types: settings.types ?? null,
    session_id: settings.session_id ?? null,
    task_id: settings.task_id ?? null,
    headers: Object.fromEntries((settings.header_names ?? []).map(name => [name, '***'])),
    enabled: disabled === null,
    status: statusOf(webhook, mayAct),
    disabled_reason: disabled,
    signed: webhook.signed,
    user_id: webhook.userId,
    of_task: webhook.ofTask,
    created_at: Math.floor(webhook.createdAt / 1000),
    position: webhook.checkpoint,
    delivered: webhook.delivered,
    failing: failing === null ? null : failingOf(failing),
  }
}

export const deliveryOf = ({ position, type, outcome, tries, ...row }: DeliveryRow): WebhookDelivery => ({
  id: String(position),
  type,
  outcome,
  attempts: row.attempts,
  at: row.at,
  duration_ms: row.ms,
  status: row.status,
  error: row.error,
  next_attempt_at: row.retryAt,
  tries: tries.map(({ ms, ...each }) => ({ ...each, duration_ms: ms })),
})

export const createWebhookQueries = (store: ReadStore, projector: Reading) => {
  const { current } = createCurrent(projector)
  const rows = createWebhookRows(store)
  // `currentFor` is not enough: a task's webhook has its first event in the stream of the task, not in its own.
  const find = (id: string): Webhook | undefined => current(() => rows.byId(id))
  const visible = visibleTo(find)
  return {
    visible,
    /** The webhooks that are not deleted. */
    there: (): Webhook[] => current(rows.there),
    /** The webhooks that the principal may see, in order of creation. */
    page: ({ userId }: Principal, { limit, after = 0 }: PageQuery): Webhook[] =>
      current(() => rows.page(after, userId ?? null, limit + 1)),
    /** Deliveries of a webhook, newest first. */
    deliveries(principal: Principal, id: string, { limit, after }: PageQuery): DeliveryRow[] {
      visible(principal, id)
      return current(() => rows.deliveries(id, after ?? Number.MAX_SAFE_INTEGER, limit + 1))
    },
  }
}
export type WebhookQueries = ReturnType<typeof createWebhookQueries>
