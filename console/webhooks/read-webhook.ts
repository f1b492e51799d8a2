// Reads a webhook with its newest deliveries.
import { at, queryOf } from '../api/api.ts'
import { api } from '../api/session.ts'
import type { Delivery, Webhook } from './webhook-state.tsx'

export type Read = { webhook: Webhook; deliveries: Delivery[]; more: boolean }

export const readWebhook = async (id: string, limit: number, signal: AbortSignal): Promise<Read> => {
  const path = `/webhooks${at(id)}`
  type Answer = { data: Delivery[]; has_more: boolean }
  const [webhook, { data, has_more }] = await Promise.all([
    api.send<Webhook>('GET', path, undefined, signal),
    api.send<Answer>('GET', `${path}/deliveries${queryOf({ limit })}`, undefined, signal),
  ])
  return { webhook, deliveries: data, more: has_more }
}
