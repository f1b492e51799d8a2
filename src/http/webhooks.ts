// The routes that make, read, change, remove and test webhooks, and that list and repeat their deliveries.
import type { Principal } from '../contract/token-events.ts'
import type { Webhook } from '../history/webhook.ts'
import { deliveryOf, infoOf } from '../webhooks/queries.ts'
import type { WebhookDoor } from './doors.ts'
import { givenIn } from './problems.ts'
import { readQuery } from './query.ts'
import { type App, askedOf } from './request.ts'
import { idHeader, noteReplay } from './request-id.ts'
import { route } from './route.ts'

/** The largest number of webhooks or deliveries in one answer, and the number without `limit`. */
const maxLimit = 1000
const defaultLimit = 100

export const webhookRoutes = (app: App, door: WebhookDoor): void => {
  const { commands, queries, tries, mayAct } = door
  const shown = (webhook: Webhook) => infoOf(webhook, mayAct(webhook))
  const found = (principal: Principal, id: string) => shown(queries.visible(principal, id))

  route(app, 'createWebhook', {
    attachValidation: true,
    async handler(request, reply) {
      const key = idHeader(request, 'idempotency-key')
      const { webhook, secret, replayed } = await commands.create(askedOf(request), givenIn(request), key)
      if (replayed) noteReplay(reply)
      return { ...shown(webhook), secret }
    },
  })
  route(app, 'listWebhooks', {
    async handler({ principal, query }) {
      const q = readQuery(query)
      const after = q.text('after')
      const limit = q.integer('limit', { min: 1, max: maxLimit, fallback: defaultLimit })
      q.done()
      const { webhooks, hasMore } = queries.page(principal, after, limit)
      return { object: 'list', data: webhooks.map(shown), has_more: hasMore }
    },
  })
  route(app, 'getWebhook', {
    handler: async ({ principal, params }) => found(principal, params.webhook_id),
  })
  route(app, 'changeWebhook', {
    attachValidation: true,
    async handler(request) {
      const { webhook_id } = request.params
      return shown(await commands.change(askedOf(request), webhook_id, givenIn(request)))
    },
  })
  route(app, 'deleteWebhook', {
    async handler(request) {
      const { webhook_id } = request.params
      await commands.remove(askedOf(request), webhook_id)
      return { id: webhook_id, status: 'deleted' }
    },
  })
  route(app, 'rotateWebhookSecret', {
    /** The body of this request is optional. */
    async preValidation(request) {
      request.body ??= {}
    },
    async handler(request) {
      const { webhook_id } = request.params
      const given = request.body.secret ?? undefined
      const { webhook, secret } = await commands.rotate(askedOf(request), webhook_id, given)
      return { ...shown(webhook), secret }
    },
  })
  route(app, 'testWebhook', {
    handler: request => tries.test(askedOf(request), request.params.webhook_id),
  })
  route(app, 'listDeliveries', {
    async handler({ principal, params, query }) {
      const q = readQuery(query)
      const before = q.integer('before', { min: 1, fallback: undefined })
      const limit = q.integer('limit', { min: 1, max: maxLimit, fallback: defaultLimit })
      q.done()
      const { deliveries, hasMore } = queries.deliveries(principal, params.webhook_id, before, limit)
      return { object: 'list', data: deliveries.map(deliveryOf), has_more: hasMore }
    },
  })
  route(app, 'redeliver', {
    handler: request =>
      tries.redeliver(askedOf(request), request.params.webhook_id, request.params.delivery_id),
  })
}
