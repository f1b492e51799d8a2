// Appends events to the streams of webhooks, one append after the other for each webhook: commands and deliveries both
// append events, and each must see what the other has stored.

import type { WebhookEvent } from '../contract/decoders/webhook.ts'
import type { NewEvent } from '../contract/stored.ts'
import { webhookEventVersion, webhookStream } from '../contract/webhook-events.ts'
import type { Webhook } from '../history/webhook.ts'
import type { EventLog } from '../log/log.ts'
import type { WebhookTable } from './table.ts'

/** The principal that causes a change, and the id of its request. */
export type By = { principal: string; causation: string }
export const byServer: By = { principal: 'system', causation: 'webhooks' }

/** Returns the events to store. An empty list: nothing changes. May throw a refusal. */
export type Decide = (webhook: Webhook) => WebhookEvent[]

export const createChanges = (log: Pick<EventLog, 'append' | 'opened'>, table: Pick<WebhookTable, 'get'>) => {
  const underWay = new Map<string, Promise<unknown>>()

  const append = async (
    id: string,
    owner: string | null,
    revision: number,
    events: WebhookEvent[],
    by: By,
  ) => {
    await log.append([
      {
        stream: webhookStream(id),
        expectedRevision: revision,
        owner: owner ?? '',
        session_id: '',
        correlation_id: id,
        principal: by.principal,
        causation_id: by.causation,
        events: events.map((event): NewEvent => ({ ...event, schema_version: webhookEventVersion })),
      },
    ])
  }
  return {
    /** Stores the first event of a webhook. */
    begin: (id: string, owner: string | null, event: WebhookEvent, by: By): Promise<void> =>
      append(id, owner, -1, [event], by),
    /** Stores the events that `decide` returns. Resolves to false when there are none, or no such webhook. */
    async change(id: string, by: By, decide: Decide): Promise<boolean> {
      const before = underWay.get(id) ?? Promise.resolve()
      const mine = before.then(async () => {
        await log.opened() // only then the table has what an earlier, failed write may have stored
        const webhook = table.get(id)
        const events = webhook === undefined ? [] : decide(webhook)
        if (webhook === undefined || events.length === 0) return false
        await append(id, webhook.userId, webhook.revision, events, by)
        return true
      })
      const settled = mine.catch(() => {})
      underWay.set(id, settled)
      try {
        return await mine
      } finally {
        if (underWay.get(id) === settled) underWay.delete(id)
      }
    },
  }
}
export type Changes = ReturnType<typeof createChanges>
