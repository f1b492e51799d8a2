// The operations on webhooks.

import {
  ChangeWebhookBody,
  CreateWebhookBody,
  DeletedWebhook,
  RotateSecretBody,
  WebhookDeliveries,
  WebhookInfo,
  WebhookList,
  WebhookTry,
  WebhookWithSecret,
} from '../../contract/wire.ts'
import { defineOperations, json } from '../operation.ts'
import { header, pages, short, text } from '../parameters.ts'

const webhookId = { in: 'path', name: 'webhook_id', schema: text, about: 'The webhook.' } as const
const deliveryId = {
  in: 'path',
  name: 'delivery_id',
  schema: text,
  about: 'The id of the delivery, which is the id of its event.',
} as const
const example = {
  id: 'wh_019aa1f0',
  url: 'https://hooks.example.com/reprise',
  types: ['TaskStatusChanged'],
  session_id: null,
  task_id: null,
  headers: {},
  enabled: true,
  status: 'active',
  disabled_reason: null,
  signed: true,
  user_id: 'alice',
  of_task: false,
  created_at: 1795317806,
  position: 41,
  delivered: 0,
  failing: null,
}

export const webhookOperations = defineOperations({
  createWebhook: {
    method: 'POST',
    path: '/v1/webhooks',
    tag: 'Webhooks',
    access: 'write',
    summary: 'Make a webhook',
    about:
      'From now on the server sends each public event that the caller may see to the URL, in order, signed as Standard Webhooks say. `types`, `session_id` and `task_id` choose among the events, as on `/api/events`. The answer shows the secret, which no later answer shows.',
    parameters: [
      header(
        'Idempotency-Key',
        short,
        'Identifies the request. If the key was used with the same body within the last 24 hours, the server returns the earlier webhook with its secret. If the key was used with another body, the server refuses the request (409).',
      ),
    ],
    body: {
      schema: CreateWebhookBody,
      examples: {
        all: { summary: 'All events', value: { url: 'https://hooks.example.com/reprise' } },
        some: {
          summary: 'Changes of status, with a header',
          value: {
            url: 'https://hooks.example.com/reprise',
            types: ['TaskStatusChanged'],
            headers: { 'x-team': 'blue' },
          },
        },
      },
    },
    answers: [
      {
        status: 200,
        about: 'The webhook, with its secret.',
        type: json,
        schema: WebhookWithSecret,
        headers: ['Idempotency-Replayed'],
        examples: { webhook: { ...example, secret: 'whsec_…' } },
      },
    ],
    refusals: ['Conflict', 'OverQuota'],
  },
  listWebhooks: {
    method: 'GET',
    path: '/v1/webhooks',
    tag: 'Webhooks',
    access: 'read',
    summary: 'List webhooks',
    about: 'The webhooks that the caller may see, oldest first, without those that have ended.',
    parameters: pages(1000, 100, 'webhooks'),
    answers: [{ status: 200, about: 'The webhooks.', type: json, schema: WebhookList }],
  },
  getWebhook: {
    method: 'GET',
    path: '/v1/webhooks/{webhook_id}',
    tag: 'Webhooks',
    access: 'read',
    summary: 'Get a webhook',
    about: 'Shows also why deliveries fail at the moment, and when the next try begins.',
    parameters: [webhookId],
    answers: [
      { status: 200, about: 'The webhook.', type: json, schema: WebhookInfo, examples: { webhook: example } },
    ],
    refusals: ['WebhookNotFound'],
  },
  changeWebhook: {
    method: 'PATCH',
    path: '/v1/webhooks/{webhook_id}',
    tag: 'Webhooks',
    access: 'write',
    summary: 'Change a webhook',
    about:
      'Changes the fields that the body names; null removes a filter or the headers. A `secret` is refused, because only `rotate-secret` keeps the old one valid for a day. `enabled: true` enables a disabled webhook, which then gets every event that it has missed; `enabled: false` disables it.',
    parameters: [webhookId],
    body: {
      schema: ChangeWebhookBody,
      examples: {
        enable: { summary: 'Enable it again', value: { enabled: true } },
        move: {
          summary: 'Another URL, and all types',
          value: { url: 'https://new.example.com/', types: null },
        },
      },
    },
    answers: [{ status: 200, about: 'The webhook.', type: json, schema: WebhookInfo }],
    refusals: ['WebhookNotFound'],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/webhooks/{webhook_id}',
    tag: 'Webhooks',
    access: 'write',
    summary: 'Delete a webhook',
    about:
      'No request begins any more, and the secret is removed. A request that is under way may still end.',
    parameters: [webhookId],
    answers: [{ status: 200, about: 'The webhook is deleted.', type: json, schema: DeletedWebhook }],
    refusals: ['WebhookNotFound'],
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/v1/webhooks/{webhook_id}/rotate-secret',
    tag: 'Webhooks',
    access: 'write',
    summary: 'Replace the secret of a webhook',
    about:
      'The answer shows the new secret, which no later answer shows. For 24 hours, requests are signed with the old secret, too, so that receivers can be changed one after the other.',
    parameters: [webhookId],
    body: {
      schema: RotateSecretBody,
      isOptional: true,
      examples: { made: { summary: 'The server makes the secret', value: {} } },
    },
    answers: [{ status: 200, about: 'The webhook, with its secret.', type: json, schema: WebhookWithSecret }],
    refusals: ['WebhookNotFound'],
  },
  testWebhook: {
    method: 'POST',
    path: '/v1/webhooks/{webhook_id}/test',
    tag: 'Webhooks',
    access: 'write',
    summary: 'Send a test',
    about:
      'Sends one signed request of the type `WebhookTest` at once, also if the webhook is disabled, and answers how it ended. A failure has no consequences.',
    parameters: [webhookId],
    answers: [{ status: 200, about: 'How the request ended.', type: json, schema: WebhookTry }],
    refusals: ['WebhookNotFound'],
  },
  listDeliveries: {
    method: 'GET',
    path: '/v1/webhooks/{webhook_id}/deliveries',
    tag: 'Webhooks',
    access: 'read',
    summary: 'List deliveries',
    about:
      'The newest deliveries of a webhook, newest first, each with its last try. The server keeps 1,000 deliveries of each webhook. Of the successes of one second, it lists at most the 100 newest.',
    parameters: [webhookId, ...pages(1000, 100, 'deliveries')],
    answers: [{ status: 200, about: 'The deliveries.', type: json, schema: WebhookDeliveries }],
    refusals: ['WebhookNotFound'],
  },
  redeliver: {
    method: 'POST',
    path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
    tag: 'Webhooks',
    access: 'write',
    summary: 'Send an event once more',
    about:
      'Sends the event at once, with the same `webhook-id`. The event does not wait for other deliveries. The answer says how the request ended. It works for every event that the webhook sends, also for those that the list of deliveries does not name any more.',
    parameters: [webhookId, deliveryId],
    answers: [{ status: 200, about: 'How the request ended.', type: json, schema: WebhookTry }],
    refusals: ['WebhookNotFound', 'DeliveryNotFound'],
  },
})
