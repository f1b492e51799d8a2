// Decides which events a command adds to a webhook, or refuses the command. Pure.

import type { WebhookCommand } from '../../src/contract/commands/webhook-commands.ts'
import type { WebhookEvent } from '../../src/contract/decoders/webhook.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { Webhook } from '../../src/history/webhook.ts'
import { changedSettings } from './settings.ts'
import { verdictOf } from './verdict.ts'

/** Requests are signed with a replaced secret, too, for this many milliseconds. */
const overlapMs = 24 * 3600 * 1000
/** The most deliveries that a checkpoint lists. */
export const listedAtMost = 100

/** A webhook that is deleted, or that never was, has none. */
export type WebhookView = { webhook: Webhook | undefined }

/**
 * What a decision knows besides the webhook and the command. `sealed`: the reference of the new secret values, when the
 * command brings some; `isOldKnown`: the values before them are there.
 */
export type At = { now: number; sealed: { ref: string; isOldKnown: boolean } | undefined }

type Of<T extends WebhookCommand['type']> = Extract<WebhookCommand, { type: T }>

/** Whether a change brings values or settings, and does not only switch the webhook. */
const isAsked = (body: object): boolean =>
  ['url', 'types', 'session_id', 'task_id', 'headers'].some(name => Object.hasOwn(body, name))

const change = (webhook: Webhook, { body, principal: by }: Of<'ChangeWebhook'>, at: At): WebhookEvent[] => {
  const { settings, signed, secretRef, disabled } = webhook
  const events: WebhookEvent[] = []
  if (isAsked(body)) {
    const ref = at.sealed?.ref ?? secretRef
    const data = { ...changedSettings(settings, body), signed, ...(ref === null ? {} : { secret_ref: ref }) }
    events.push({ type: 'WebhookChanged', data })
  }
  if (body.enabled === true && disabled !== null) events.push({ type: 'WebhookEnabled', data: { by } })
  if (body.enabled === false && disabled === null)
    events.push({ type: 'WebhookDisabled', data: { reason: 'requested', by } })
  return events
}

const rotate = ({ secretRef, signed }: Webhook, { now, sealed }: At): WebhookEvent[] => {
  if (sealed === undefined) throw new Error('the new secret was not kept')
  const previous =
    !signed || secretRef === null || !sealed.isOldKnown
      ? {}
      : { previous_ref: secretRef, previous_until: now + overlapMs }
  return [{ type: 'WebhookSecretRotated', data: { secret_ref: sealed.ref, ...previous } }]
}

/** A write that failed may be stored all the same. Then the webhook knows some of these deliveries already. */
const moveCheckpoint = (
  { checkpoint, delivered }: Webhook,
  { position, total, sent }: Of<'MoveCheckpoint'>,
): WebhookEvent[] => {
  const count = Math.max(0, total - delivered)
  if (count === 0 && position <= checkpoint) return []
  const listed = count === 0 ? [] : sent.slice(-Math.min(count, listedAtMost))
  return [{ type: 'WebhookCheckpoint', data: { position, count, sent: listed } }]
}

const disable = (reason: 'gone' | 'failing' | 'secret_missing'): WebhookEvent => ({
  type: 'WebhookDisabled',
  data: { reason, by: 'system' },
})

const failDelivery = (webhook: Webhook, command: Of<'FailDelivery'>, { now }: At): WebhookEvent[] => {
  const { failing, disabled } = webhook
  if (disabled !== null) return []
  const { position, eventType, bytes, outcome, chance } = command
  const { status, error, ms } = outcome
  const attempt = (failing?.position === position ? failing.attempts : 0) + 1
  const answered = status === undefined ? {} : { status }
  const failed = { position, type: eventType, attempt, ms, error, ...answered }
  const verdict = verdictOf(webhook, { attempt, bytes, outcome }, now, chance)
  if (verdict.next === 'skip') return [{ type: 'WebhookDeliverySkipped', data: failed }]
  const retry_at = new Date(verdict.next === 'retry' ? verdict.at : now).toISOString()
  const recorded: WebhookEvent = { type: 'WebhookDeliveryFailed', data: { ...failed, retry_at } }
  return verdict.next === 'retry' ? [recorded] : [recorded, disable(verdict.reason)]
}

export const decide = ({ webhook }: WebhookView, command: WebhookCommand, at: At): WebhookEvent[] => {
  if (command.type === 'CreateWebhook') {
    if (webhook !== undefined) throw new Refusal('Conflict', { webhook_id: webhook.id })
    return [{ type: 'WebhookCreated', data: command.data }]
  }
  // What comes after the end of a webhook changes nothing.
  if (webhook === undefined || webhook.deleted !== null) return []
  switch (command.type) {
    case 'ChangeWebhook':
      return change(webhook, command, at)
    case 'RotateSecret':
      return rotate(webhook, at)
    case 'DeleteWebhook': {
      const by = command.principal
      return [{ type: 'WebhookDeleted', data: { by, reason: command.reason } }]
    }
    case 'MissSecret':
      return webhook.disabled === null ? [disable('secret_missing')] : []
    case 'MoveCheckpoint':
      return moveCheckpoint(webhook, command)
    case 'FailDelivery':
      return failDelivery(webhook, command, at)
    case 'RecordTry':
      return [{ type: 'WebhookTried', data: command.data }]
  }
}
