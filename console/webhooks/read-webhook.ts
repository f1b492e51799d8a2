// Reads a webhook with its newest deliveries.
import { at } from '../api/api.ts'
import { readPage } from '../api/listed.ts'
import { api } from '../api/session.ts'
import type { Delivery, Webhook } from './webhook-state.tsx'

export type Read = { webhook: Webhook; deliveries: Delivery[]; more: boolean }

export const readWebhook = async (id: string, limit: number, signal: AbortSignal): Promise<Read> => {
  const path = `/webhooks${at(id)}`
  const [webhook, { data, has_more }] = await Promise.all([
    api.send<Webhook>('GET', path, undefined, signal),
    readPage<Delivery>(api, `${path}/deliveries`, { limit }, signal),
  ])
  return { webhook, deliveries: data, more: has_more }
}
