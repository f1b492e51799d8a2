// Makes one try to deliver one event, with the secret values that the webhook has now. Resolves to the outcome.
import type { Webhook } from '../history/webhook.ts'
import type { Body } from './body.ts'
import type { Lanes } from './lanes.ts'
import type { Sealed } from './sealed.ts'
import type { Outcome, Send } from './send.ts'

/** What is sent: a public event, or a test. */
export type Parcel = { id: string; body: Body }

type Deps = { send: Send; lanes: Lanes; sealed: Sealed; stopping: AbortSignal }

export const createDeliver = ({ send, lanes, sealed, stopping }: Deps) => {
  let underWay = 0
  /** The duration of the newest try of each webhook, if that try was slow or failed. */
  const lastSlowMs = new Map<string, number>()

  const note = (id: string, outcome: Outcome): Outcome => {
    if (outcome.ok && outcome.ms < 1000) lastSlowMs.delete(id)
    else lastSlowMs.set(id, outcome.ok ? outcome.ms : Number.POSITIVE_INFINITY)
    return outcome
  }
  return {
    /**
     * Resolves to `secret_missing` when the values that the request needs are gone. Rejects when the server stops
     * before the request begins.
     */
    try: (webhook: Webhook, { id, body }: Parcel): Promise<Outcome | 'secret_missing'> =>
      lanes(
        webhook.userId === null ? `token ${webhook.maker}` : `user ${webhook.userId}`,
        lastSlowMs.get(webhook.id),
        async () => {
          const opened = sealed.open(webhook)
          if (opened === undefined) return 'secret_missing'
          underWay++
          try {
            const letter = { url: webhook.settings.url, id, body: body.text, ...opened }
            return note(webhook.id, await send(letter, stopping))
          } finally {
            underWay--
          }
        },
        stopping,
      ),
    /** The number of requests that are under way. */
    underWay: () => underWay,
    forget: (id: string): void => void lastSlowMs.delete(id),
  }
}
export type Deliver = ReturnType<typeof createDeliver>
