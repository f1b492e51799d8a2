// Keeps the secret values of webhooks in the secrets file: the signing secrets, and the values of headers.

import type { WebhookCommand } from '../contract/commands/webhook-commands.ts'
import { webhookRefPrefix } from '../contract/events/webhook-events.ts'
import type { Clock, Ids } from '../contract/ports.ts'
import type { Webhook } from '../history/webhook.ts'
import type { Secrets } from '../platform/secrets.ts'

/** The values that the secrets file has under one reference. */
export type SealedValues = { secret?: string; headers?: Record<string, string> }

/** Whether a reference in the secrets file belongs to a webhook. */
export const isOfWebhook = (ref: string): boolean => ref.startsWith(webhookRefPrefix)
export const newRef = (ids: Ids): string => ids.next(webhookRefPrefix)

/** The references that a webhook needs at this time. */
export const refsOf = ({ secretRef, previous, deleted }: Webhook, now: number): string[] => {
  if (deleted !== null) return []
  return [
    ...(secretRef === null ? [] : [secretRef]),
    // Newest first, behind the present one.
    ...previous.flatMap(({ ref, until }) => (until <= now ? [] : [ref])).reverse(),
  ]
}

export const createSealed = (secrets: Secrets, clock: Clock, ids: Ids) => {
  const valuesAt = (ref: string): SealedValues | undefined => secrets.get(ref)
  return {
    put: (ref: string, values: SealedValues): void => secrets.put(ref, values),
    valuesAt,
    /**
     * Keeps the new values that a command brings under a reference of their own. `isOldKnown`: the values before them are
     * there. Undefined: the command brings none.
     */
    seal({ secretRef }: Webhook, command: WebhookCommand): { ref: string; isOldKnown: boolean } | undefined {
      const old = secretRef === null ? undefined : valuesAt(secretRef)
      const keep = (values: SealedValues) => {
        const ref = newRef(ids)
        secrets.put(ref, values)
        return { ref, isOldKnown: old !== undefined }
      }
      if (command.type === 'RotateSecret') return keep({ ...old, secret: command.secret })
      if (command.type !== 'ChangeWebhook' || command.body.headers === undefined) return undefined
      const { headers } = command.body
      return keep({
        ...(old?.secret === undefined ? {} : { secret: old.secret }),
        ...(headers ? { headers } : {}),
      })
    },
    /** The values for a request; undefined: they are missing, for example because a backup was restored. */
    open(webhook: Webhook): { secrets: string[]; headers: Record<string, string> } | undefined {
      const all = refsOf(webhook, clock.now()).map(valuesAt)
      const [current] = all
      if (webhook.secretRef !== null && current === undefined) return undefined
      return {
        secrets: webhook.signed ? all.flatMap(values => values?.secret ?? []) : [],
        headers: current?.headers ?? {},
      }
    },
    /** Forgets the values that `before` needed and `after` does not need any more. */
    forgetUnused(before: Webhook | undefined, after: Webhook): void {
      if (before === undefined) return
      const needed = new Set(refsOf(after, 0))
      for (const ref of refsOf(before, 0)) if (!needed.has(ref)) secrets.forget(ref)
    },
    /** Forgets secrets that were replaced a day ago. */
    forgetReplaced(webhooks: Iterable<Webhook>): void {
      for (const { previous } of webhooks)
        for (const { ref, until } of previous) if (until <= clock.now()) secrets.forget(ref)
    },
    /**
     * Forgets the values that no webhook needs. Only for a start: later, values may be stored whose webhook is not stored
     * yet.
     */
    sweep(webhooks: Iterable<Webhook>): void {
      const needed = new Set([...webhooks].flatMap(webhook => refsOf(webhook, clock.now())))
      secrets.sweep(ref => !isOfWebhook(ref) || needed.has(ref))
    },
  }
}
export type Sealed = ReturnType<typeof createSealed>
