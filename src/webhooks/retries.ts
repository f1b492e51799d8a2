// Recognizes a repeated request to create a webhook by its `Idempotency-Key`, so that it makes no second webhook.
import { scopes } from '../contract/request-scopes.ts'
import { CreateWebhookBody } from '../contract/wire.ts'
import type { Webhook } from '../history/webhook.ts'
import type { Once } from '../once/once.ts'
import { digestOfRequest } from '../platform/digest.ts'

const hidden = '***'

/** The digest of the body of a create request, without the secret values. */
const digestOf = (body: CreateWebhookBody): string => {
  const headers = Object.fromEntries(Object.keys(body.headers ?? {}).map(name => [name, hidden]))
  return digestOfRequest(CreateWebhookBody, { ...body, headers, secret: body.secret ? hidden : null })
}

/** The fields that the first event of a webhook stores about its request; no fields when the request has no key. */
export const keyIn = (body: CreateWebhookBody, key: string | undefined) =>
  key === undefined ? {} : { idempotency_key: key, body_digest: digestOf(body) }

export const createRetries = ({ once }: Once, find: (id: string) => Webhook | undefined) => ({
  /**
   * Runs `create`, or returns the webhook of an earlier create with this key. A create without a key always makes a
   * webhook: a second one is easy to see and to delete.
   */
  async once<Made>(
    maker: string,
    key: string | undefined,
    body: CreateWebhookBody,
    create: () => Promise<Made>,
  ): Promise<{ made: Made } | { replay: Webhook }> {
    if (key === undefined) return { made: await create() }
    const digest = digestOf(body)
    const call = { scope: scopes.webhook, principal: maker, key, digest, isRetry: false }
    const done = await once(call, create)
    if ('made' in done) return done
    const replay = find(done.replay)
    if (replay === undefined) throw new Error('the webhook of a key is gone')
    return { replay }
  },
})
