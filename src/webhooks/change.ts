// Changes an existing webhook: its settings, its headers and its secret.
import type { WebhookEvent } from '../contract/decoders/webhook.ts'
import { fittingFields } from '../contract/fitting-fields.ts'
import type { Clock, Ids, Random } from '../contract/ports.ts'
import { Invalid, type Problem, Refusal } from '../contract/refusals.ts'
import type { ChangeWebhookBody } from '../contract/wire.ts'
import type { Webhook } from '../history/webhook.ts'
import { type AskedBy, byOf } from './asked.ts'
import type { Changes } from './changes.ts'
import { type IsRefused, webhookProblems } from './problems.ts'
import { newRef, type Sealed } from './sealed.ts'
import { changedSettings } from './settings.ts'
import { newSecret } from './signing.ts'
import type { WebhookTable } from './table.ts'
import { visibleTo } from './visible.ts'

/** Requests are signed with a replaced secret, too, for this many milliseconds. */
const overlapMs = 24 * 3600 * 1000

export type ChangeDeps = {
  table: Pick<WebhookTable, 'get'>
  changes: Changes
  sealed: Sealed
  clock: Clock
  random: Random
  ids: Ids
  outside: { isRefused: IsRefused }
}

/** A body, and the problems that its schema found in it. */
export type Given<Body> = { body: Body; found: Problem[] }

/** Throws Invalid with all problems: those that the schema found, and those that no schema can find. */
export const check = ({ body, found }: Given<ChangeWebhookBody>, isRefused: IsRefused): void => {
  const problems = [...found, ...webhookProblems(fittingFields(body, found), isRefused)]
  if (problems.length > 0) throw new Invalid(problems)
}

/** The secret is not changed silently with other settings: the caller must learn that the old one stays valid for a day. */
const secretProblems = (body: object): Problem[] => {
  if (!('secret' in body) || body.secret === null) return []
  const msg = 'Replace the secret with POST /v1/webhooks/{webhook_id}/rotate-secret'
  return [{ loc: ['body', 'secret'], msg, type: 'value_error' }]
}

/** The webhook after a change. Throws WebhookNotFound when another request has deleted it. */
export const storedIn =
  ({ get }: Pick<WebhookTable, 'get'>) =>
  (id: string): Webhook => {
    const webhook = get(id)
    if (webhook === undefined) throw new Refusal('WebhookNotFound')
    return webhook
  }

const switchedBy = ({ disabled }: Webhook, { enabled }: ChangeWebhookBody, by: string): WebhookEvent[] => {
  if (enabled === true && disabled !== null) return [{ type: 'WebhookEnabled', data: { by } }]
  if (enabled !== false || disabled !== null) return []
  return [{ type: 'WebhookDisabled', data: { reason: 'requested', by } }]
}

export const createWebhookChanges = ({ table, changes, sealed, clock, random, ids, outside }: ChangeDeps) => {
  const visible = visibleTo(table.get)
  const stored = storedIn(table)

  /** Stores new headers beside the secret. Returns the new reference. */
  const sealHeaders = ({ secretRef }: Webhook, headers: Record<string, string> | null): string => {
    const ref = newRef(ids)
    const { secret } = (secretRef === null ? undefined : sealed.valuesAt(secretRef)) ?? {}
    sealed.put(ref, { ...(secret === undefined ? {} : { secret }), ...(headers ? { headers } : {}) })
    return ref
  }
  const changedBy = (webhook: Webhook, body: ChangeWebhookBody): WebhookEvent[] => {
    const { headers } = body
    const isAsked = ['url', 'types', 'session_id', 'task_id', 'headers'].some(name =>
      Object.hasOwn(body, name),
    )
    if (!isAsked) return []
    const { settings, signed, secretRef } = webhook
    const ref = headers === undefined ? secretRef : sealHeaders(webhook, headers)
    const data = { ...changedSettings(settings, body), signed, ...(ref === null ? {} : { secret_ref: ref }) }
    return [{ type: 'WebhookChanged', data }]
  }

  return {
    async change(asked: AskedBy, id: string, given: Given<ChangeWebhookBody>): Promise<Webhook> {
      const { body, found } = given
      visible(asked.principal, id)
      check({ body, found: [...found, ...secretProblems(body)] }, outside.isRefused)
      await changes.change(id, byOf(asked), webhook => [
        ...changedBy(webhook, body),
        ...switchedBy(webhook, body, asked.principal.id),
      ])
      return stored(id)
    },

    /** Replaces the secret. For a day, requests are signed with the old secret, too. */
    async rotate(
      asked: AskedBy,
      id: string,
      given: string | undefined,
    ): Promise<{ webhook: Webhook; secret: string }> {
      visible(asked.principal, id)
      const secret = given ?? newSecret(random)
      await changes.change(id, byOf(asked), ({ secretRef, signed }) => {
        const secret_ref = newRef(ids)
        const old = secretRef === null ? undefined : sealed.valuesAt(secretRef)
        sealed.put(secret_ref, { ...old, secret })
        const previous =
          !signed || secretRef === null || old === undefined
            ? {}
            : { previous_ref: secretRef, previous_until: clock.now() + overlapMs }
        return [{ type: 'WebhookSecretRotated', data: { secret_ref, ...previous } }]
      })
      return { webhook: stored(id), secret }
    },
  }
}
