// The events of a webhook, on its stream `webhook-<id>`. Secret values are never in an event: an event names the
// reference under which the secrets file holds them.

/**
 * A webhook that a client of another protocol has set up for one task: it sends what this protocol says of the task, and ends
 * with the task. `id`: the client's own id for it. `scheme`: how it authenticates. `token`: it sends a token, too.
 */
export type PushSettings = { protocol: 'a2a'; id: string; scheme?: string; token?: true }

/** The same as a client gives it, with the values of headers, and as the first event of a task keeps it. */
export type GivenPush = PushSettings & { url: string; headers: Record<string, string> }
export type StoredPush = PushSettings & { url: string; header_names?: string[] }

/** Where a webhook sends events, and which events it sends. */
export type WebhookSettings = {
  url: string
  /** Absent: all types except those that a subscriber must name. */
  types?: string[]
  session_id?: string
  task_id?: string
  /** The names of the headers that are sent. Their values are secret. */
  header_names?: string[]
  push?: PushSettings
}
/** Whether requests are signed; the signing secret and the values of headers are stored under the reference. */
type Sealed = { signed: boolean; secret_ref?: string }

/** An event that was sent: its position, its type, when the last try ended, the number of tries, and the result. */
export type Sent = {
  position: number
  type: string
  at: string
  attempts: number
  ms: number
  status: number
}
/** A try that failed. `status`: what the receiver answered, if it answered. */
export type Failed = {
  position: number
  type: string
  attempt: number
  ms: number
  status?: number
  error: string
}

export type WebhookCreated = WebhookSettings &
  Sealed & {
    /** The token that made the webhook, and the user whose events it sends (absent: the events of all users). */
    maker: string
    user_id?: string
    enabled: boolean
    /** It sends the events after this position. Absent: those after this event. */
    after?: number
    /** The `Idempotency-Key` of the request, and the digest of its body. */
    idempotency_key?: string
    body_digest?: string
  }
export type WebhookChanged = WebhookSettings & Sealed
/** Requests are signed with the previous secret, too, until `previous_until` (milliseconds since the epoch). */
export type WebhookSecretRotated = { secret_ref: string; previous_ref?: string; previous_until?: number }
/**
 * Every event up to `position` was delivered, or is not for this webhook. `sent` lists the newest deliveries since the
 * previous checkpoint, and `count` is the number of all deliveries since then.
 */
export type WebhookCheckpoint = { position: number; count: number; sent: Sent[] }
/** A try failed. Every earlier event was delivered or skipped. The next try begins at `retry_at`. */
export type WebhookDeliveryFailed = Failed & { retry_at: string }
/** An event will not be sent any more. */
export type WebhookDeliverySkipped = Failed
/** A try that somebody asked for: a test, or an event that was sent once more. It moves no checkpoint. */
export type WebhookTried = {
  what: 'test' | 'redelivery'
  by: string
  position?: number
  type: string
  ms: number
  status?: number
  error?: string
}
export const disableReasons = ['requested', 'gone', 'failing', 'secret_missing'] as const
export type DisableReason = (typeof disableReasons)[number]
/** `failing`: no delivery succeeded for five days. `gone`: the receiver answered 410. */
export type WebhookDisabled = { reason: DisableReason; by: string; failed?: Failed }
export type WebhookEnabled = { by: string }
/** `ended`: the task of this webhook has ended, and all of its events were sent. */
export type WebhookDeleted = { by: string; reason: 'requested' | 'ended' }

export const webhookStream = (id: string): string => `webhook-${id}`
export const isWebhookStream = (stream: string): boolean => stream.startsWith('webhook-')
export const webhookIdOf = (stream: string): string => stream.slice('webhook-'.length)

/** The id of the webhook in the request that created a task. This webhook first sends the creation of the task. */
export const webhookOfTask = (taskId: string): string => `wht_${taskId}`

/** How the references of webhooks in the secrets file begin. */
export const webhookRefPrefix = 'whs_'

export const webhookEventVersion = 1
