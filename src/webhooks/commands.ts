// The command service of webhooks. Secret values are written before the event that names their reference.
import { changedSettings } from '../../actors/webhook/settings.ts'
import type { Principal } from '../contract/events/token-events.ts'
import type { GivenPush, WebhookCreated } from '../contract/events/webhook-events.ts'
import { Refusal } from '../contract/refusals.ts'
import type { CreateWebhookBody } from '../contract/wire.ts'
import { createCounts } from '../fairness/counts.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { Webhook } from '../history/webhook.ts'
import type { Once } from '../once/once.ts'
import { type AskedBy, byOf } from './asked.ts'
import { type ChangeDeps, check, createWebhookChanges, type Given, storedIn } from './change.ts'
import type { AskWebhook } from './courier-deps.ts'
import { createRetries, keyIn } from './retries.ts'
import { newRef, type SealedValues } from './sealed.ts'
import { newSecret } from './signing.ts'
import type { WebhookTable } from './table.ts'
import { visibleTo } from './visible.ts'

type Made = { webhook: Webhook; secret: string }
type Deps = ChangeDeps & {
  table: WebhookTable
  /** Sends the first command to a new webhook. */
  begin: AskWebhook
  once: Once
  quotas: Pick<Quotas, 'mayMakeWebhook'>
  /** The position of the event that ended a task; undefined: it has not ended. */
  endOf: (taskId: string) => number | undefined
}

const pushesOf = ({ all }: Pick<WebhookTable, 'all'>, { userId }: Principal, taskId: string): Webhook[] =>
  [...all()]
    .filter(({ settings, userId: owner }) => {
      const isSeen = userId === undefined || userId === owner
      return isSeen && settings.push !== undefined && settings.task_id === taskId
    })
    .sort((a, b) => a.made - b.made)

export const createWebhookCommands = (deps: Deps) => {
  const { table, begin, ask, sealed, quotas, random, ids, endOf } = deps
  /** The webhooks of each user that are being made. */
  const begun = createCounts()
  const retries = createRetries(deps.once, table.get)
  const visible = visibleTo(table.get)
  const stored = storedIn(table)

  const reserve = ({ userId }: Principal): (() => void) => {
    if (userId === undefined) return () => {}
    quotas.mayMakeWebhook(table.countOf(userId) + begun.of(userId))
    begun.add(userId, 1)
    return () => begun.add(userId, -1)
  }
  /** Stores a new webhook with its secret values. `how`: what its first event says besides its settings. */
  const begins = async (
    asked: AskedBy,
    body: CreateWebhookBody,
    values: SealedValues,
    how: Pick<WebhookCreated, 'signed'> & Partial<WebhookCreated>,
  ): Promise<Webhook> => {
    const { principal } = asked
    const release = reserve(principal)
    try {
      const id = ids.next('wh_')
      const secret_ref = newRef(ids)
      sealed.put(secret_ref, { ...values, ...(body.headers ? { headers: body.headers } : {}) })
      const { userId } = principal
      const data = {
        ...changedSettings({}, body),
        maker: principal.id,
        ...(userId === undefined ? {} : { user_id: userId }),
        secret_ref,
        enabled: body.enabled ?? true,
        ...how,
      }
      await begin(id, { type: 'CreateWebhook', data, ...byOf(asked) })
      return stored(id)
    } finally {
      release()
    }
  }
  const make = async (asked: AskedBy, body: CreateWebhookBody, key: string | undefined): Promise<Made> => {
    const secret = body.secret ?? newSecret(random)
    const webhook = await begins(asked, body, { secret }, { signed: true, ...keyIn(body, key) })
    return { webhook, secret }
  }
  /** A retry gets the answer of the request that made the webhook, so this answer has the secret, too. */
  const again = (webhook: Webhook): Made => {
    const secret = webhook.secretRef === null ? undefined : sealed.valuesAt(webhook.secretRef)?.secret
    if (secret === undefined)
      throw new Refusal('Conflict', { webhook_id: webhook.id }, 'the secret is missing', {
        hint: 'Rotate it with `POST /v1/webhooks/{webhook_id}/rotate-secret`.',
      })
    return { webhook, secret }
  }
  /** Makes the webhook of a push. It tells the end of its task, also of one that has ended before. */
  const beginPush = async (asked: AskedBy, taskId: string, given: GivenPush): Promise<Webhook> => {
    const { url, headers, ...push } = given
    const end = endOf(taskId)
    const after = end === undefined ? {} : { after: end - 1 }
    const webhook = await begins(
      asked,
      { url, headers, task_id: taskId },
      {},
      { signed: false, push, ...after },
    )
    const remove = () => ask(webhook.id, { type: 'DeleteWebhook', reason: 'requested', ...byOf(asked) })
    const missed = (): boolean => end === undefined && (endOf(taskId) ?? webhook.made) < webhook.made
    try {
      if (!missed()) return webhook
    } catch (error) {
      // It is not known whether the task has ended. The caller will try again, and that makes another webhook.
      await remove()
      throw error
    }
    await remove()
    return beginPush(asked, taskId, given)
  }
  return {
    ...createWebhookChanges(deps),
    /**
     * Makes a webhook, and returns its secret, which later reads do not show. With the `key` of an earlier request it
     * makes no webhook, and returns that of the earlier request (`replayed`). Throws Conflict when the key was used for
     * another body.
     */
    async create(
      asked: AskedBy,
      given: Given<CreateWebhookBody>,
      key?: string,
    ): Promise<Made & { replayed: boolean }> {
      check(given, deps.outside.isRefused)
      const { body } = given
      const done = await retries.once(asked.principal.id, key, body, () => make(asked, body, key))
      return 'made' in done ? { ...done.made, replayed: false } : { ...again(done.replay), replayed: true }
    },

    /**
     * Makes a webhook in the form of another protocol, for one task that the caller may see. It replaces the one with the same
     * id that the same user has set up for this task.
     */
    async push(asked: AskedBy, taskId: string, push: GivenPush): Promise<Webhook> {
      const { url, headers } = push
      check({ body: { url, headers, task_id: taskId }, found: [] }, deps.outside.isRefused)
      const before = pushesOf(table, asked.principal, taskId).filter(
        ({ settings, userId }) =>
          settings.push?.id === push.id && userId === (asked.principal.userId ?? null),
      )
      const webhook = await beginPush(asked, taskId, push)
      for (const { id } of before)
        await ask(id, { type: 'DeleteWebhook', reason: 'requested', ...byOf(asked) })
      return webhook
    },
    /** What clients of other protocols have set up for a task, oldest first. */
    pushes: (principal: Principal, taskId: string): Webhook[] => pushesOf(table, principal, taskId),

    async remove(asked: AskedBy, id: string): Promise<void> {
      visible(asked.principal, id)
      await ask(id, { type: 'DeleteWebhook', reason: 'requested', ...byOf(asked) })
    },
  }
}
export type WebhookCommands = ReturnType<typeof createWebhookCommands>
