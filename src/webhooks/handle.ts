// Handles the next events of a webhook: sends each event and records the outcome. One round of a webhook runs at a
// time, so at most one of its deliveries is under way.
import type { FailedTry } from '../contract/commands/webhook-commands.ts'
import type { Webhook } from '../history/webhook.ts'
import { createCheckpointWriter } from './checkpoint-writer.ts'
import { byServer, type CourierDeps } from './courier-deps.ts'
import type { Inbox, Waiting } from './inbox.ts'
import { type Letter, letterOf } from './letter.ts'
import type { Outcome } from './send.ts'

type Success = Extract<Outcome, { ok: true }>

export const createHandling = (id: string, deps: CourierDeps) => {
  const { deliver, ask, chance, clock, counts, stopping } = deps
  const checkpoints = createCheckpointWriter(id, deps)
  let reached = 0
  /** The time of the oldest event that was tried and is not delivered. */
  let oldest: number | undefined

  const delivered = ({ failing }: Webhook, position: number, type: string, { status, ms }: Success): void => {
    const attempts = (failing?.position === position ? failing.attempts : 0) + 1
    counts.ended('delivered')
    const at = new Date(clock.now()).toISOString()
    checkpoints.delivered({ position, type, at, attempts, ms, status })
  }
  /** Stores that a try failed. Resolves to true when the event is skipped, so that the next one can be sent. */
  const failed = async (
    position: number,
    { type, body: { bytes } }: Letter,
    outcome: FailedTry | 'secret_missing',
  ): Promise<boolean> => {
    if (outcome === 'secret_missing') {
      await ask(id, { type: 'MissSecret', ...byServer })
      return false
    }
    const about = { position, eventType: type, bytes, outcome, chance: chance() }
    await ask(id, { type: 'FailDelivery', ...about, ...byServer })
    const isSkipped = (deps.current(id)?.checkpoint ?? 0) >= position
    counts.ended(isSkipped ? 'skipped' : 'failed')
    return isSkipped
  }
  /** Resolves to true when the event is done: it was delivered, skipped, or is not sent at all. */
  const handle = async (webhook: Webhook, { published, isWanted }: Waiting): Promise<boolean> => {
    if (!isWanted) return true
    const letter = await letterOf(webhook, published, deps.forms)
    if (letter === undefined) return true
    const { position } = published
    const outcome = await deliver.try(webhook, { id: String(position), body: letter.body })
    if (outcome !== 'secret_missing' && outcome.ok) {
      delivered(webhook, position, letter.type, outcome)
      return true
    }
    // A request that the server itself has aborted says nothing about the receiver.
    return stopping.aborted ? false : failed(position, letter, outcome)
  }
  /** Deletes the webhook of a task, because the last event of the task is done. */
  const finish = async (): Promise<void> => {
    await checkpoints.flush()
    await ask(id, { type: 'DeleteWebhook', reason: 'ended', ...byServer })
  }
  return {
    /** Every event up to this position is done. */
    reached: () => reached,
    /** No event up to this position is left to send: the checkpoint moves there too. */
    passed(position: number): void {
      reached = Math.max(reached, position)
      checkpoints.passed(position)
    },
    /** Sends until nothing waits, a try fails, or the inbox is closed. */
    async sendAll(inbox: Inbox, isOpen: () => boolean): Promise<void> {
      for (let next = inbox.next(); next !== undefined && isOpen(); next = inbox.next()) {
        const webhook = deps.current(id)
        if (webhook === undefined || !deps.mayRun(webhook)) return
        oldest ??= Date.parse(next.published.event.timestamp)
        if (!(await handle(webhook, next))) return
        reached = Math.max(reached, next.published.position)
        oldest = undefined
        if (next.isLast) return finish()
        inbox.drop()
      }
    },
    /** Milliseconds since the oldest event that was tried and is not delivered; 0: there is none. */
    lagMs: (): number => (oldest === undefined ? 0 : Math.max(0, clock.now() - oldest)),
    forgetLag(): void {
      oldest = undefined
    },
    /** Stores the checkpoint. */
    async stop(): Promise<void> {
      await checkpoints.flush()
      checkpoints.stop()
    },
  }
}
