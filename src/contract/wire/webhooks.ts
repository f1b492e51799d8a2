// The bodies of the requests about webhooks, and the objects of the answers.
import Type, { type Static } from 'typebox'
import { eventNames } from '../events/public-events.ts'
import { responseEnds } from '../openai/response-ends.ts'
import { AsciiId } from './ids.ts'
import { listOf } from './list.ts'
import { nullable, orNull } from './schema.ts'

const Text = Type.String()
const Url = Type.String({ minLength: 1, maxLength: 2048 })
/** `whsec_` and the base64 of 24 to 64 bytes. */
const Secret = Type.String({
  pattern:
    '^whsec_(?:(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|(?:[A-Za-z0-9+/]{4}){21}(?:[A-Za-z0-9+/]{2}==)?)$',
})
/** Without the field, events of all types. An empty list would mean none. Those of OpenAI's form stand alone. */
const Types = Type.Array(Type.Enum([...eventNames, ...responseEnds]), { minItems: 1 })
const Headers = Type.Record(Text, Text)

/** The webhook of one task, in the body of the request that creates the task. */
export const TaskWebhook = Type.Object({ url: Url, types: orNull(Types), secret: orNull(Secret) })

const settings = {
  types: orNull(Types),
  session_id: orNull(AsciiId),
  task_id: orNull(AsciiId),
  headers: orNull(Headers),
  enabled: orNull(Type.Boolean()),
}
export const CreateWebhookBody = Type.Object({ url: Url, secret: orNull(Secret), ...settings })
export type CreateWebhookBody = Static<typeof CreateWebhookBody>
/** A field that is absent stays as it is. */
export const ChangeWebhookBody = Type.Object({ url: orNull(Url), ...settings })
export type ChangeWebhookBody = Static<typeof ChangeWebhookBody>
export const RotateSecretBody = Type.Object({ secret: orNull(Secret) })

const Failing = Type.Object({
  event_id: Text,
  type: Text,
  attempts: Type.Integer(),
  next_attempt_at: Text,
  status: Type.Optional(Type.Integer()),
  error: Text,
})
const fields = {
  id: Text,
  url: Text,
  types: nullable(Type.Array(Text)),
  session_id: nullable(Text),
  task_id: nullable(Text),
  headers: Headers,
  enabled: Type.Boolean(),
  status: Type.Enum(['active', 'stopped', 'disabled', 'ended']),
  disabled_reason: nullable(Text),
  signed: Type.Boolean(),
  user_id: nullable(Text),
  of_task: Type.Boolean(),
  created_at: Type.Integer(),
  position: Type.Integer(),
  delivered: Type.Integer(),
  failing: nullable(Failing),
}
export const WebhookInfo = Type.Object(fields)
export type WebhookInfo = Static<typeof WebhookInfo>
/** The answer to a create or a rotation. No other answer shows the secret. */
export const WebhookWithSecret = Type.Object({ ...fields, secret: Text })
export const WebhookList = listOf(WebhookInfo)
export const DeletedWebhook = Type.Object({ status: Type.Literal('deleted'), id: Text, message: Text })

export const DeliveryTry = Type.Object({
  at: Text,
  duration_ms: Type.Integer(),
  status: nullable(Type.Integer()),
  error: nullable(Text),
  by: nullable(Text),
})
export const WebhookDelivery = Type.Object({
  id: Text,
  type: Text,
  outcome: Type.Enum(['delivered', 'failed', 'skipped']),
  attempts: Type.Integer(),
  at: Text,
  duration_ms: Type.Integer(),
  status: nullable(Type.Integer()),
  error: nullable(Text),
  next_attempt_at: nullable(Text),
  tries: Type.Array(DeliveryTry),
})
export type WebhookDelivery = Static<typeof WebhookDelivery>
export const WebhookDeliveries = listOf(WebhookDelivery)
/** The result of a try that the caller asked for. */
export const WebhookTry = Type.Object({
  event_id: Text,
  type: Text,
  delivered: Type.Boolean(),
  status: nullable(Type.Integer()),
  error: nullable(Text),
  duration_ms: Type.Integer(),
})
export type WebhookTry = Static<typeof WebhookTry>
