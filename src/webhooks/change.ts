// Changes an existing webhook: its settings, its headers and its secret.
import { fittingFields } from '../contract/json/fitting-fields.ts'
import type { Ids, Random } from '../contract/ports.ts'
import { Invalid, type Problem, Refusal } from '../contract/refusals.ts'
import type { ChangeWebhookBody } from '../contract/wire.ts'
import type { Webhook } from '../history/webhook.ts'
import { type AskedBy, byOf } from './asked.ts'
import type { AskWebhook } from './courier-deps.ts'
import type { Sealed } from './sealed.ts'
import { newSecret } from './signing.ts'
import type { WebhookTable } from './table.ts'
import { visibleTo } from './visible.ts'
import { type IsRefused, webhookProblems } from './webhook-problems.ts'

export type ChangeDeps = {
  table: Pick<WebhookTable, 'get'>
  ask: AskWebhook
  sealed: Sealed
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

export const createWebhookChanges = ({ table, ask, random, outside }: ChangeDeps) => {
  const visible = visibleTo(table.get)
  const stored = storedIn(table)

  return {
    async change(asked: AskedBy, id: string, given: Given<ChangeWebhookBody>): Promise<Webhook> {
      const { body, found } = given
      visible(asked.principal, id)
      check({ body, found: [...found, ...secretProblems(body)] }, outside.isRefused)
      await ask(id, { type: 'ChangeWebhook', body, ...byOf(asked) })
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
      await ask(id, { type: 'RotateSecret', secret, ...byOf(asked) })
      return { webhook: stored(id), secret }
    },
  }
}
