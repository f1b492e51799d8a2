// Writes the webhooks read model: one row for each webhook, and one for each of its newest deliveries.
import { webhookEvents } from '../../src/contract/decoders/webhook.ts'
import { isWebhookStream, webhookIdOf, webhookOfTask } from '../../src/contract/events/webhook-events.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { isTaskStream, taskIdOf } from '../../src/contract/task-stream.ts'
import { afterEvent, type Webhook, webhookIn } from '../../src/history/webhook.ts'
import type { Eraser } from '../erasing/table.ts'
import type { Projection } from '../folding.ts'
import type { ReadStore } from '../store.ts'
import { createWebhookRows, type DeliveryRow, type TryRow } from './rows.ts'

/** The number of deliveries that are kept of each webhook: the newest ones. */
const storedDeliveries = 1000

/** The number of tries that are kept of each delivery: the newest ones. */
const storedTries = 50

/** A delivery after a try, without the tries before. */
type Tried = Omit<DeliveryRow, 'tries'>

/** `webhook`: as it is after the folded events; undefined: there is none. `deliveries`: those that the events changed, by position. */
type Touched = { webhook: Webhook | undefined; deliveries: Map<number, DeliveryRow> }

const triedIn = (stored: Recorded): Tried[] => {
  const event = webhookEvents.find(stored)
  if (event === undefined) return []
  const { time } = event.header
  switch (event.type) {
    case 'WebhookCheckpoint':
      return event.data.sent.map(sent => ({ ...sent, outcome: 'delivered', error: null, retryAt: null }))
    case 'WebhookDeliveryFailed':
    case 'WebhookDeliverySkipped': {
      const { position, type, attempt, ms, status, error } = event.data
      const isFailed = event.type === 'WebhookDeliveryFailed'
      return [
        {
          position,
          type,
          outcome: isFailed ? 'failed' : 'skipped',
          attempts: attempt,
          at: time,
          ms,
          status: status ?? null,
          error,
          retryAt: event.type === 'WebhookDeliveryFailed' ? event.data.retry_at : null,
        },
      ]
    }
    default:
      return []
  }
}

const webhookRemover = (store: ReadStore) => {
  const remove = store.prepare('DELETE FROM webhooks WHERE id = ?')
  const removeDeliveries = store.prepare('DELETE FROM webhook_deliveries WHERE webhook = ?')
  return (id: string): void => {
    remove.run(id)
    removeDeliveries.run(id)
  }
}

/** A task may have a webhook of its own, which the event that created the task describes. */
export const webhookEraser = (store: ReadStore): Eraser => {
  const remove = webhookRemover(store)
  return stream => {
    if (isTaskStream(stream)) remove(webhookOfTask(taskIdOf(stream)))
    if (isWebhookStream(stream)) remove(webhookIdOf(stream))
  }
}

/** The try that somebody asked for in this event, and the position of the event that was sent once more. */
const askedIn = (stored: Recorded): { position: number; asked: TryRow } | undefined => {
  const event = webhookEvents.find(stored)
  if (event?.type !== 'WebhookTried' || event.data.position === undefined) return undefined
  const { position, ms, status = null, error = null, by } = event.data
  return { position, asked: { at: event.header.time, ms, status, error, by } }
}

export const webhooksProjection = (store: ReadStore): Projection => {
  const rows = createWebhookRows(store)
  const put = store.prepare(
    'INSERT OR REPLACE INTO webhooks (id, made, user_id, deleted, view) VALUES (?, ?, ?, ?, ?)',
  )
  const record = store.prepare(
    'INSERT OR REPLACE INTO webhook_deliveries (webhook, position, delivery) VALUES (?, ?, ?)',
  )
  const trim = store.prepare(
    `DELETE FROM webhook_deliveries WHERE webhook = :id AND position <=
       (SELECT position FROM webhook_deliveries WHERE webhook = :id ORDER BY position DESC LIMIT 1 OFFSET ${storedDeliveries})`,
  )
  const forgetWebhook = webhookRemover(store)
  let taken: { id: string; stored: Recorded }[] = []

  /** Deletes the rows of a webhook whose deletion was asked for. Nothing of it is written afterwards. */
  const forgotten = (id: string): Touched => {
    forgetWebhook(id)
    return { webhook: undefined, deliveries: new Map() }
  }
  const after = (id: string, { webhook: before, deliveries }: Touched, stored: Recorded): Touched => {
    const webhook = afterEvent(before, stored)
    if (webhook?.deleted === 'requested') return forgotten(id)
    if (webhook === undefined) return { webhook, deliveries }
    const known = (position: number) => deliveries.get(position) ?? rows.delivery(id, position)
    const tried = (delivery: Tried, tries: readonly TryRow[], latest: TryRow): void => {
      deliveries.set(delivery.position, { ...delivery, tries: [...tries, latest].slice(-storedTries) })
    }
    for (const delivery of triedIn(stored)) {
      const { position, at, ms, status, error } = delivery
      tried(delivery, known(position)?.tries ?? [], { at, ms, status, error, by: null })
    }
    const again = askedIn(stored)
    const delivery = again === undefined ? undefined : known(again.position)
    if (again !== undefined && delivery !== undefined) tried(delivery, delivery.tries, again.asked)
    return { webhook, deliveries }
  }
  return {
    fold(events) {
      for (const stored of events) {
        const id = webhookIn(stored)
        if (id !== undefined) taken.push({ id, stored })
      }
    },
    // The rows of a webhook are written once, however many of its events are folded.
    write() {
      const touched = new Map<string, Touched>()
      for (const { id, stored } of taken) {
        const before = touched.get(id) ?? { webhook: rows.byId(id), deliveries: new Map() }
        touched.set(id, after(id, before, stored))
      }
      for (const [id, { webhook, deliveries }] of touched) {
        if (webhook === undefined) continue
        const { made, userId, deleted } = webhook
        put.run(id, made, userId, deleted === null ? 0 : 1, JSON.stringify(webhook))
        for (const [position, delivery] of deliveries) record.run(id, position, JSON.stringify(delivery))
        if (deliveries.size > 0) trim.run({ id })
      }
      taken = []
    },
    forget() {
      taken = []
    },
  }
}
