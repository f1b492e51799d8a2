// The requests about webhooks.

import { type Link, pathOf } from './link.ts'
import { type List, ownList } from './lists.ts'
import { type Creating, type Sending, send } from './send.ts'
import type {
  ChangeWebhookBody,
  CreateWebhookBody,
  DeletedWebhook,
  RotateSecretBody,
  Webhook,
  WebhookDelivery,
  WebhookTry,
  WebhookWithSecret,
} from './types.ts'

export const webhooksOf = (link: Link) => {
  const postOnce = <T>(path: string, { signal }: Sending = {}) =>
    send<T>(link, { method: 'POST', path, signal, once: true })
  return {
    /** The answer has the secret, which no later answer shows. */
    create: (
      body: CreateWebhookBody,
      { signal, idempotencyKey }: Creating = {},
    ): Promise<WebhookWithSecret> =>
      send(link, { method: 'POST', path: '/v1/webhooks', body, signal, key: idempotencyKey ?? true }),
    /** The webhooks, oldest first. */
    list: (query: { limit?: number } = {}, { signal }: Sending = {}): List<Webhook> =>
      ownList(link, '/v1/webhooks', query, signal),
    get: (id: string, { signal }: Sending = {}): Promise<Webhook> =>
      send(link, { method: 'GET', path: pathOf`/v1/webhooks/${id}`, signal }),
    change: (id: string, body: ChangeWebhookBody, { signal }: Sending = {}): Promise<Webhook> =>
      send(link, { method: 'PATCH', path: pathOf`/v1/webhooks/${id}`, body, signal }),
    delete: (id: string, { signal }: Sending = {}): Promise<DeletedWebhook> =>
      send(link, { method: 'DELETE', path: pathOf`/v1/webhooks/${id}`, signal }),
    /**
     * Replaces the secret. Without a secret in the body the server makes a new one at each request, so the request is not made
     * again when its answer is lost.
     */
    rotateSecret: (
      id: string,
      body: RotateSecretBody = {},
      { signal }: Sending = {},
    ): Promise<WebhookWithSecret> =>
      send(link, {
        method: 'POST',
        path: pathOf`/v1/webhooks/${id}/rotate-secret`,
        body,
        signal,
        once: !body.secret,
      }),
    /** Sends a test at once, and resolves to how it ended. It is not sent again when the answer is lost. */
    test: (id: string, options?: Sending): Promise<WebhookTry> =>
      postOnce(pathOf`/v1/webhooks/${id}/test`, options),
    deliveries: (
      id: string,
      query: { limit?: number } = {},
      { signal }: Sending = {},
    ): List<WebhookDelivery> => ownList(link, pathOf`/v1/webhooks/${id}/deliveries`, query, signal),
    /** Sends an event once more. It is not sent again when the answer is lost. */
    redeliver: (id: string, event: string, options?: Sending): Promise<WebhookTry> =>
      postOnce(pathOf`/v1/webhooks/${id}/deliveries/${event}/redeliver`, options),
  }
}
