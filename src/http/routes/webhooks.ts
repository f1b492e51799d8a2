// The routes that make, read, change, remove and test webhooks, and that list and repeat their deliveries.
import type { Principal } from '../../contract/events/token-events.ts'
import type { Webhook } from '../../history/webhook.ts'
import { deliveryOf, infoOf } from '../../webhooks/queries.ts'
import { listByPosition } from '../answer/listing.ts'
import type { WebhookDoor } from '../doors.ts'
import { givenIn } from '../request/problems.ts'
import { readQuery } from '../request/query.ts'
import { type App, askedOf } from '../request/request.ts'
import { idHeader, noteReplay } from '../request/request-id.ts'
import { route } from '../route.ts'

const webhookList = listByPosition('listWebhooks')
const deliveryList = listByPosition('listDeliveries')

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
      const asked = webhookList.asked(q)
      q.done()
      return webhookList.answer(queries.page(principal, asked), asked, ({ made }) => made, shown)
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
      return { status: 'deleted', id: webhook_id, message: `webhook ${webhook_id} is deleted` }
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
      const asked = deliveryList.asked(q)
      q.done()
      const found = queries.deliveries(principal, params.webhook_id, asked)
      return deliveryList.answer(found, asked, ({ position }) => position, deliveryOf)
    },
  })
  route(app, 'redeliver', {
    handler: request =>
      tries.redeliver(askedOf(request), request.params.webhook_id, request.params.delivery_id),
  })
}
