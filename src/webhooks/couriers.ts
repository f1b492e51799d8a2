// Keeps a courier for each webhook that is not deleted. A change of a webhook or a token begins or ends deliveries.
import type { Webhook } from '../history/webhook.ts'
import { type Courier, createCourier } from './courier.ts'
import type { CourierDeps } from './courier-deps.ts'
import type { WebhookTable } from './table.ts'

/** Milliseconds between two rounds that move the checkpoints of webhooks which send rarely. */
const roundMs = 60_000
/** The number of positions that a checkpoint may be behind is `each` for every webhook, and at least `least`. */
const behind = { least: 10_000, each: 100 }

type Deps = Omit<CourierDeps, 'current'> & { table: Pick<WebhookTable, 'get' | 'all'> }

export const createCouriers = (deps: Deps) => {
  const { table } = deps
  const couriers = new Map<string, Courier>()
  let isStarted = false
  let isStopped = false
  let endRounds = () => {}

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
  /** Moving a checkpoint stores an event. The limit grows with the webhooks, so such events are at most 1 % of all. */
  const advanceAll = (): void => {
    const atLeast = Math.max(behind.least, behind.each * couriers.size)
    for (const { advance } of couriers.values()) advance(atLeast)
  }
  return {
    /** Begins to deliver. */
    start(): void {
      isStarted = true
      endRounds = deps.timers.every(roundMs, advanceAll)
      reviewAll()
    },
    reviewAll,
    changed: ({ id }: Webhook): void => review(id),
    /** Milliseconds since the oldest event that was tried and is not delivered; 0: there is none. */
    lagMs: (): number => [...couriers.values()].reduce((max, { lagMs }) => Math.max(max, lagMs()), 0),
    /** Ends all deliveries and stores how far they came. */
    async stop(): Promise<void> {
      isStopped = true
      endRounds()
      await Promise.all([...couriers.values()].map(courier => courier.stop()))
    },
  }
}
export type Couriers = ReturnType<typeof createCouriers>
