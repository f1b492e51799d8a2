// Recognizes a repeated request to create a webhook by its `Idempotency-Key`, so that it makes no second webhook.
import type { Clock } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import type { FailingLog } from '../contract/stored.ts'
import { CreateWebhookBody } from '../contract/wire.ts'
import type { Webhook } from '../history/webhook.ts'
import { digestOfRequest } from '../platform/digest.ts'
import { keyLivesMs } from '../tasks/earlier-task.ts'
import { createOnce } from '../tasks/once.ts'
import type { WebhookTable } from './table.ts'

const hidden = '***'

/** The digest of the body of a create request, without the secret values. */
const digestOf = (body: CreateWebhookBody): string => {
  const headers = Object.fromEntries(Object.keys(body.headers ?? {}).map(name => [name, hidden]))
  return digestOfRequest(CreateWebhookBody, { ...body, headers, secret: body.secret ? hidden : null })
}

/** The fields that the first event of a webhook stores about its request; no fields when the request has no key. */
export const keyIn = (body: CreateWebhookBody, key: string | undefined) =>
  key === undefined ? {} : { idempotency_key: key, body_digest: digestOf(body) }

export const createRetries = (table: Pick<WebhookTable, 'all'>, log: FailingLog, clock: Clock) => {
  /** Throws a conflict when the key was used for another body. */
  const earlier = (maker: string, key: string, body: CreateWebhookBody): Webhook | undefined => {
    for (const webhook of table.all()) {
      if (webhook.maker !== maker || webhook.createKey?.key !== key) continue
      if (webhook.createdAt + keyLivesMs <= clock.now()) continue
      if (webhook.createKey.digest !== digestOf(body)) throw new Refusal('Conflict', { idempotency_key: key })
      return webhook
    }
    return undefined
  }
  const once = createOnce(log)
  return {
    /** Runs `create`, or returns the webhook of an earlier create with this key. Creates with one key never overlap. */
    async once<Made>(
      maker: string,
      key: string | undefined,
      body: CreateWebhookBody,
      create: () => Promise<Made>,
    ): Promise<{ made: Made } | { replay: Webhook }> {
      if (key === undefined) return { made: await create() }
      const names = { named: [JSON.stringify([maker, key])], isRetry: false }
      return once({ ...names, body: digestOf(body) }, () => earlier(maker, key, body), create)
    },
  }
}
