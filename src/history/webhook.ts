// The view of a webhook, folded from its events. The couriers, the commands and the read model use this one view. It is
// plain data, so that the read model can store it as JSON.
import { taskEvents } from '../contract/decoders/task.ts'
import { type RecordedWebhookEvent, webhookEvents } from '../contract/decoders/webhook.ts'
import {
  type DisableReason,
  type StoredPush,
  type WebhookSettings,
  webhookIdOf,
  webhookOfTask,
} from '../contract/events/webhook-events.ts'
import type { Recorded } from '../contract/stored.ts'

/** The event whose tries fail. `retryAt`: when the next try begins, in milliseconds since the epoch. */
export type Failing = {
  position: number
  type: string
  attempts: number
  retryAt: number
  status?: number
  error: string
}

export type Webhook = {
  id: string
  /** The position of the event that made the webhook. */
  made: number
  createdAt: number
  /** The last revision of the webhook's stream; -1: the webhook of a task has no event of its own yet. */
  revision: number
  maker: string
  /** Null: the webhook sends events of all users. */
  userId: string | null
  /** True: the request that created a task asked for the webhook, for that task alone. */
  ofTask: boolean
  settings: WebhookSettings
  signed: boolean
  secretRef: string | null
  /** Replaced secrets that sign, too, oldest first. */
  previous: { ref: string; until: number }[]
  /** Null: the webhook is enabled. */
  disabled: DisableReason | null
  disabledAt: number | null
  deleted: 'requested' | 'ended' | null
  /** Every event up to this position was delivered or skipped, or is not for this webhook. */
  checkpoint: number
  delivered: number
  failing: Failing | null
  /** When the first try after the last success failed. */
  failingSince: number | null
}

/** Whether the webhook still exists: it gets deliveries now, or when it is enabled again. */
export const isThere = ({ deleted }: Webhook): boolean => deleted === null

/** So many replaced secrets sign at most: each adds to the headers of a request. */
const mostPrevious = 8

const unused = {
  previous: [] as Webhook['previous'],
  disabled: null,
  disabledAt: null,
  deleted: null,
  delivered: 0,
  failing: null,
  failingSince: null,
} as const

const settingsIn = ({
  url,
  types,
  session_id,
  task_id,
  header_names,
  push,
}: WebhookSettings): WebhookSettings => ({
  url,
  ...(types === undefined ? {} : { types }),
  ...(session_id === undefined ? {} : { session_id }),
  ...(task_id === undefined ? {} : { task_id }),
  ...(header_names === undefined ? {} : { header_names }),
  ...(push === undefined ? {} : { push }),
})

const ofRequest = ({ url, types }: { url: string; types?: string[] | null }, task_id: string) => ({
  url,
  ...(types ? { types } : {}),
  task_id,
})
const ofPush = ({ url, header_names, ...push }: StoredPush, task_id: string): WebhookSettings =>
  settingsIn({ url, task_id, push, ...(header_names === undefined ? {} : { header_names }) })

/** The webhook that a task's first event asks for; undefined: it asks for none. The webhook sends this event, too. */
const askedByTask = (stored: Recorded): Webhook | undefined => {
  if (stored.header.type !== 'TaskCreated') return undefined
  const event = taskEvents.find(stored)
  if (event?.type !== 'TaskCreated') return undefined
  const { request, task_id, push, webhook_secret_ref } = event.data
  const asked = request.webhook ?? push
  if (!asked) return undefined
  return {
    ...unused,
    id: webhookOfTask(task_id),
    made: event.position,
    createdAt: Date.parse(event.header.time),
    revision: -1,
    maker: event.header.principal,
    userId: event.header.owner,
    ofTask: true,
    settings: push === undefined ? ofRequest(asked, task_id) : ofPush(push, task_id),
    signed: Boolean(request.webhook?.secret),
    secretRef: webhook_secret_ref ?? null,
    checkpoint: event.position - 1,
  }
}

const made = (event: RecordedWebhookEvent & { type: 'WebhookCreated' }): Webhook => {
  const { header, position, data } = event
  const at = Date.parse(header.time)
  return {
    ...unused,
    id: webhookIdOf(header.stream),
    made: position,
    createdAt: at,
    revision: header.revision,
    maker: data.maker,
    userId: data.user_id ?? null,
    ofTask: false,
    settings: settingsIn(data),
    signed: data.signed,
    secretRef: data.secret_ref ?? null,
    disabled: data.enabled ? null : 'requested',
    disabledAt: data.enabled ? null : at,
    checkpoint: data.after ?? position,
  }
}

const changed = (before: Webhook, event: RecordedWebhookEvent): Partial<Webhook> => {
  const at = Date.parse(event.header.time)
  switch (event.type) {
    case 'WebhookCreated':
      return made(event)
    case 'WebhookChanged': {
      const { signed, secret_ref } = event.data
      return { settings: settingsIn(event.data), signed, secretRef: secret_ref ?? null, failing: null }
    }
    case 'WebhookSecretRotated': {
      const { secret_ref, previous_ref, previous_until } = event.data
      const replaced =
        previous_ref === undefined || previous_until === undefined
          ? []
          : [{ ref: previous_ref, until: previous_until }]
      const previous = [...before.previous.filter(({ until }) => until > at), ...replaced].slice(
        -mostPrevious,
      )
      return { secretRef: secret_ref, signed: true, previous }
    }
    case 'WebhookCheckpoint': {
      const { position, count } = event.data
      const delivered = before.delivered + count
      // A failure that was stored earlier may have moved the checkpoint already.
      const isNews = count > 0 && position > before.checkpoint
      return {
        checkpoint: Math.max(before.checkpoint, position),
        delivered,
        ...(isNews ? { failing: null, failingSince: null } : {}),
      }
    }
    case 'WebhookDeliveryFailed': {
      const { position, type, attempt, retry_at, status, error } = event.data
      return {
        checkpoint: Math.max(before.checkpoint, position - 1),
        failingSince: before.failingSince ?? at,
        failing: {
          position,
          type,
          attempts: attempt,
          retryAt: Date.parse(retry_at),
          error,
          ...(status === undefined ? {} : { status }),
        },
      }
    }
    case 'WebhookDeliverySkipped':
      return { checkpoint: Math.max(before.checkpoint, event.data.position), failing: null }
    case 'WebhookTried':
      return {}
    case 'WebhookDisabled':
      return { disabled: event.data.reason, disabledAt: at }
    case 'WebhookEnabled':
      return { disabled: null, disabledAt: null, failing: null, failingSince: null }
    case 'WebhookDeleted':
      return { deleted: event.data.reason, previous: [] }
  }
}

/** The id of the webhook that an event is about; undefined: the event is about none. */
export const webhookIn = (stored: Recorded): string | undefined => {
  const event = webhookEvents.find(stored)
  return event === undefined ? askedByTask(stored)?.id : webhookIdOf(event.header.stream)
}

/** The webhook after an event; undefined: the event is about none. `before`: undefined at its first event. */
export const afterEvent = (before: Webhook | undefined, stored: Recorded): Webhook | undefined => {
  const event = webhookEvents.find(stored)
  if (event === undefined) return askedByTask(stored)
  const { revision } = event.header
  if (event.type === 'WebhookCreated') return made(event)
  return before && { ...before, ...changed(before, event), revision }
}
