// Makes the tries that a caller asks for: a test, or an event that is sent once more. They wait for no other delivery.
import { fits } from '../bus/event-filter.ts'
import { type Published, publishedOf } from '../bus/published.ts'
import type { WebhookTried } from '../contract/events/webhook-events.ts'
import type { Clock, Ids } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import type { Log } from '../contract/stored.ts'
import type { WebhookTry } from '../contract/wire.ts'
import type { Webhook } from '../history/webhook.ts'
import { type AskedBy, byOf } from './asked.ts'
import { bodyWith } from './body.ts'
import type { AskWebhook } from './courier-deps.ts'
import type { Deliver, Parcel } from './deliver.ts'
import { filterOf } from './inbox.ts'
import { type Forms, letterOf } from './letter.ts'
import { visibleTo } from './visible.ts'

type Deps = {
  log: Pick<Log, 'readAll' | 'head'>
  find: (id: string) => Webhook | undefined
  ask: AskWebhook
  deliver: Pick<Deliver, 'try'>
  clock: Clock
  ids: Ids
  forms: Forms
}

const testType = 'WebhookTest'

/** The public event at a position; undefined when there is none. */
const eventAt = async (log: Deps['log'], position: number): Promise<Published | undefined> => {
  if (position < 1 || position > log.head()) return undefined
  for await (const page of log.readAll(position - 1)) {
    return publishedOf(page.slice(0, 1))[0]
  }
  return undefined
}

export const createTries = ({ log, find, ask, deliver, clock, ids, forms }: Deps) => {
  const visible = visibleTo(find)

  const send = async (
    asked: AskedBy,
    webhook: Webhook,
    parcel: Parcel,
    about: Pick<WebhookTried, 'what' | 'type' | 'position'>,
  ): Promise<WebhookTry> => {
    const outcome = await deliver.try(webhook, parcel).catch(() => {
      throw new Refusal('ShuttingDown')
    })
    const result =
      outcome === 'secret_missing'
        ? { ok: false as const, error: 'the secret is missing: rotate it', ms: 0, status: undefined }
        : { status: undefined, error: undefined, ...outcome }
    const { ok, status, error, ms } = result
    const data: WebhookTried = {
      ...about,
      by: asked.principal.id,
      ms,
      ...(status === undefined ? {} : { status }),
      ...(error === undefined ? {} : { error }),
    }
    await ask(webhook.id, { type: 'RecordTry', data, ...byOf(asked) })
    return {
      event_id: parcel.id,
      type: about.type,
      delivered: ok,
      status: status ?? null,
      error: error ?? null,
      duration_ms: ms,
    }
  }
  return {
    async test(asked: AskedBy, id: string): Promise<WebhookTry> {
      const webhook = visible(asked.principal, id)
      const timestamp = new Date(clock.now()).toISOString()
      const parcel = {
        id: ids.next('test_'),
        body: bodyWith({ type: testType, timestamp, data: { webhook_id: id } }),
      }
      return send(asked, webhook, parcel, { what: 'test', type: testType })
    },
    /** Sends an event once more. `deliveryId` is the id of the event. */
    async redeliver(asked: AskedBy, id: string, deliveryId: string): Promise<WebhookTry> {
      const webhook = visible(asked.principal, id)
      const position = /^[1-9]\d{0,15}$/.test(deliveryId) ? Number(deliveryId) : 0
      const published = position < webhook.made ? undefined : await eventAt(log, position)
      const isWanted = published !== undefined && fits(filterOf(webhook), published)
      const letter = isWanted ? await letterOf(webhook, published, forms) : undefined
      if (letter === undefined) throw new Refusal('DeliveryNotFound')
      const { type, body } = letter
      return send(asked, webhook, { id: String(position), body }, { what: 'redelivery', type, position })
    },
  }
}
export type Tries = ReturnType<typeof createTries>
