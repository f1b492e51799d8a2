// All couriers: one for each webhook that is not deleted. They follow the changes of webhooks and tokens.
import type { Webhook } from '../history/webhook.ts'
import { type Courier, createCourier } from './courier.ts'
import type { CourierDeps } from './courier-deps.ts'
import type { WebhookTable } from './table.ts'

type Deps = Omit<CourierDeps, 'current'> & { table: Pick<WebhookTable, 'get' | 'all'> }

export const createCouriers = (deps: Deps) => {
  const { table } = deps
  const couriers = new Map<string, Courier>()
  let isStarted = false
  let isStopped = false

  const review = (id: string): void => {
    if (!isStarted || isStopped) return
    const known = couriers.get(id)
    if (table.get(id) === undefined) couriers.delete(id)
    else if (known === undefined) couriers.set(id, createCourier(id, { ...deps, current: table.get }))
    ;(couriers.get(id) ?? known)?.review()
  }
  const reviewAll = (): void => {
    for (const id of new Set([...couriers.keys(), ...[...table.all()].map(webhook => webhook.id)])) review(id)
  }
  return {
    /** Begins to deliver. */
    start(): void {
      isStarted = true
      reviewAll()
    },
    reviewAll,
    changed: ({ id }: Webhook): void => review(id),
    /** Milliseconds since the oldest event that is not delivered. */
    lagMs: (): number => [...couriers.values()].reduce((most, { lagMs }) => Math.max(most, lagMs()), 0),
    /** Ends all deliveries and stores how far they came. */
    async stop(): Promise<void> {
      isStopped = true
      await Promise.all([...couriers.values()].map(courier => courier.stop()))
    },
  }
}
export type Couriers = ReturnType<typeof createCouriers>
