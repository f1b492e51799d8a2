// The bodies and the answers of the operations on webhooks.
import * as wire from '../../contract/wire.ts'
import type { Components } from '../component.ts'
import { listFields } from './list-fields.ts'

const settings = {
  url: 'Where events are sent: an http or https URL that leads to a public address.',
  types:
    'The types of events that are sent; null or absent: all types except those that `/api/events` sends only if `types` names them. A webhook with `response.…` sends what OpenAI’s webhooks send, and nothing else.',
  session_id: 'Only events of this session.',
  task_id: 'Only events of this task.',
  headers: 'Headers of each request. Answers show `***` in place of each value.',
}
const ofWebhook = {
  ...settings,
  id: 'The id of the webhook.',
  enabled: 'Whether events are sent.',
  status:
    '`active`; `stopped`: the maker has no token any more; `disabled`; `ended`: the task of the webhook has ended, and its events were sent.',
  disabled_reason:
    'Why it is disabled: `requested`; `gone`: the receiver answered 410; `failing`: nothing succeeded for 5 days; `secret_missing`: the secret is not on this server, so rotate it. Null: it is enabled.',
  signed: 'Whether requests are signed. Only the webhook of a task may have no secret.',
  user_id: 'The user whose events are sent; null: the events of all users.',
  of_task: 'Whether the request that created a task asked for this webhook.',
  created_at: 'When the webhook was made, in Unix seconds.',
  position: 'Every event up to this position was delivered or skipped, or is not for this webhook.',
  delivered: 'The number of delivered events.',
  failing: 'The event whose delivery fails at the moment, with the last error and the time of the next try.',
}
const secret = 'The signing secret: `whsec_` and the base64 of 24 to 64 bytes.'
const ofRequest = {
  status: 'The HTTP status of the answer; null: there was none.',
  error: 'Why the try failed; null: it succeeded.',
  duration_ms: 'How long the try took, in milliseconds.',
}
const ofTry = { ...ofRequest, type: 'The type of the event.' }

export const webhookComponents: Components = {
  TaskWebhook: {
    schema: wire.TaskWebhook,
    about: 'A webhook for the events of one task.',
    fields: {
      url: settings.url,
      types: settings.types,
      secret: `${secret} Absent: requests are not signed.`,
    },
  },
  CreateWebhookBody: {
    schema: wire.CreateWebhookBody,
    about: 'A webhook to make.',
    fields: { ...settings, secret: `${secret} Absent: the server makes one.`, enabled: ofWebhook.enabled },
  },
  ChangeWebhookBody: {
    schema: wire.ChangeWebhookBody,
    about: 'Changes of a webhook. An absent field stays as it is.',
    fields: { ...settings, enabled: ofWebhook.enabled },
  },
  RotateSecretBody: {
    schema: wire.RotateSecretBody,
    about: 'The new secret.',
    fields: { secret: `${secret} Absent: the server makes one.` },
  },
  Webhook: { schema: wire.WebhookInfo, about: 'A webhook.', fields: ofWebhook },
  WebhookWithSecret: {
    schema: wire.WebhookWithSecret,
    about: 'A webhook with its secret, which is shown this once.',
    fields: { ...ofWebhook, secret },
  },
  WebhookList: {
    schema: wire.WebhookList,
    about: 'A page of webhooks.',
    fields: { ...listFields, data: 'The webhooks, oldest first.' },
  },
  DeletedWebhook: {
    schema: wire.DeletedWebhook,
    about: 'A webhook that sends nothing any more.',
    fields: { status: 'Always `deleted`.', id: ofWebhook.id, message: 'The same in words.' },
  },
  WebhookDelivery: {
    schema: wire.WebhookDelivery,
    about: 'The delivery of one event.',
    fields: {
      ...ofTry,
      id: 'The id of the event: its position, the `id:` of `/api/events`, and the header `webhook-id`.',
      outcome: '`delivered`; `failed`: the event may be tried again; `skipped`: it is not tried again.',
      attempts: 'The number of tries so far.',
      at: 'When the last try ended.',
      next_attempt_at: 'When the next try begins; null: there is none.',
      tries: 'The newest 50 tries, oldest first.',
    },
  },
  DeliveryTry: {
    schema: wire.DeliveryTry,
    about: 'A request for a delivery.',
    fields: {
      ...ofRequest,
      at: 'When the try ended.',
      by: 'The id of the token that asked for it (`redeliver`); null: the server tried by itself.',
    },
  },
  WebhookDeliveries: {
    schema: wire.WebhookDeliveries,
    about: 'A page of deliveries.',
    fields: { ...listFields, data: 'The deliveries, newest first.' },
  },
  WebhookTry: {
    schema: wire.WebhookTry,
    about: 'The outcome of a request that the caller asked for.',
    fields: {
      ...ofTry,
      event_id: 'The `webhook-id` of the request.',
      delivered: 'Whether the receiver answered with 2xx.',
    },
  },
}
