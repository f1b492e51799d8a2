// Counts tries by their outcome, for the metrics.
export const deliveryOutcomes = ['delivered', 'failed', 'skipped'] as const
export type DeliveryOutcome = (typeof deliveryOutcomes)[number]

export const createDeliveryCounts = () => {
  const counts: Record<DeliveryOutcome, number> = { delivered: 0, failed: 0, skipped: 0 }
  return {
    ended: (outcome: DeliveryOutcome): void => void counts[outcome]++,
    byOutcome: (): Readonly<Record<DeliveryOutcome, number>> => counts,
  }
}
export type DeliveryCounts = ReturnType<typeof createDeliveryCounts>
