// Shows the state of a webhook and the outcome of a delivery as one word, and says how a try ended.
import type { Static } from 'typebox'
import type { WebhookDelivery, WebhookInfo, WebhookTry } from '../../src/contract/wire/webhooks.ts'
import { duration } from '../ui/time.tsx'
import { Word } from '../ui/word.tsx'

export type Webhook = Static<typeof WebhookInfo>
export type Delivery = Static<typeof WebhookDelivery>
export type Try = Static<typeof WebhookTry>

const colours = { active: 'working', stopped: 'paused', disabled: 'failed', ended: 'completed' } as const
export const WebhookState = ({ webhook }: { webhook: Webhook }) =>
  webhook.failing !== null && webhook.status === 'active' ? (
    <Word as="failed">failing</Word>
  ) : (
    <Word as={colours[webhook.status]}>{webhook.status}</Word>
  )

const outcomes = { delivered: 'completed', failed: 'failed', skipped: 'canceled' } as const
export const Outcome = ({ of: { outcome } }: { of: Delivery }) => (
  <Word as={outcomes[outcome]}>{outcome}</Word>
)

/** The result of a try in a sentence. */
export const resultOf = ({ delivered, status, error, duration_ms }: Try): string => {
  const answer = status === null ? (error ?? 'no answer') : `the receiver answered ${status}`
  return `${delivered ? 'Delivered' : 'Not delivered'}: ${answer}, in ${duration(duration_ms)}`
}

/** The filters of a webhook in a few words. */
export const filterOf = ({ types, session_id, task_id }: Webhook): string =>
  [
    types === null ? 'all types' : types.join(', '),
    session_id === null ? undefined : `session ${session_id}`,
    task_id === null ? undefined : `task ${task_id}`,
  ]
    .filter(each => each !== undefined)
    .join('; ')
