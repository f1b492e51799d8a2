// The events of a webhook, read from its stream.

import {
  isWebhookStream,
  type WebhookChanged,
  type WebhookCheckpoint,
  type WebhookCreated,
  type WebhookDeleted,
  type WebhookDeliveryFailed,
  type WebhookDeliverySkipped,
  type WebhookDisabled,
  type WebhookEnabled,
  type WebhookSecretRotated,
  type WebhookTried,
} from '../events/webhook-events.ts'
import type { Recorded } from '../stored.ts'
import { decoderOf } from './decoder.ts'

type WebhookEvents = {
  WebhookCreated: WebhookCreated
  WebhookChanged: WebhookChanged
  WebhookSecretRotated: WebhookSecretRotated
  WebhookCheckpoint: WebhookCheckpoint
  WebhookDeliveryFailed: WebhookDeliveryFailed
  WebhookDeliverySkipped: WebhookDeliverySkipped
  WebhookTried: WebhookTried
  WebhookDisabled: WebhookDisabled
  WebhookEnabled: WebhookEnabled
  WebhookDeleted: WebhookDeleted
}
export type WebhookEvent = {
  [Type in keyof WebhookEvents]: { type: Type; data: WebhookEvents[Type] }
}[keyof WebhookEvents]
export type RecordedWebhookEvent = Recorded<WebhookEvent>

export const webhookEvents = decoderOf<WebhookEvent>('webhook', isWebhookStream, [
  'WebhookCreated',
  'WebhookChanged',
  'WebhookSecretRotated',
  'WebhookCheckpoint',
  'WebhookDeliveryFailed',
  'WebhookDeliverySkipped',
  'WebhookTried',
  'WebhookDisabled',
  'WebhookEnabled',
  'WebhookDeleted',
])
