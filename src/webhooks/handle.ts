// Handles the next event of a webhook: sends it and records how that ended.
import type { Published } from '../bus/published.ts'
import type { Webhook } from '../history/webhook.ts'
import { bodyOf } from './body.ts'
import { byServer } from './changes.ts'
import { createCheckpointWriter } from './checkpoint-writer.ts'
import type { CourierDeps } from './courier-deps.ts'
import { createFailures } from './failures.ts'
import type { Waiting } from './inbox.ts'
import type { Outcome } from './send.ts'

type Success = Extract<Outcome, { ok: true }>

export const createHandling = (id: string, deps: CourierDeps) => {
  const { deliver, clock, counts, stopping } = deps
  const checkpoints = createCheckpointWriter(id, deps)
  const failures = createFailures(id, deps)

  const delivered = ({ failing }: Webhook, { position, event }: Published, { status, ms }: Success): void => {
    const attempts = (failing?.position === position ? failing.attempts : 0) + 1
    counts.ended('delivered')
    const at = new Date(clock.now()).toISOString()
    checkpoints.delivered({ position, type: event.type, at, attempts, ms, status })
  }
  return {
    checkpoints,
    /** Resolves to true when the event is behind us: it was delivered, skipped, or is not sent at all. */
    async handle(webhook: Webhook, { published, isWanted }: Waiting): Promise<boolean> {
      if (!isWanted) return true
      const body = bodyOf(published)
      const outcome = await deliver.try(webhook, { id: String(published.position), body })
      if (outcome !== 'secret_missing' && outcome.ok) {
        delivered(webhook, published, outcome)
        return true
      }
      // A request that the server itself has aborted says nothing about the receiver.
      return stopping.aborted ? false : failures.record(published, body.bytes, outcome)
    },
    /** The task of the webhook has ended, and its last event is behind us. */
    async finish(): Promise<void> {
      await checkpoints.flush()
      await deps.changes.change(id, byServer, () => [
        { type: 'WebhookDeleted', data: { by: 'system', reason: 'ended' } },
      ])
    },
  }
}
