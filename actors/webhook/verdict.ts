// Decides what follows a failed try: another try, the next event, or the end of all tries.
import type { FailedTry } from '../../src/contract/commands/webhook-commands.ts'
import type { Webhook } from '../../src/history/webhook.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** The waits after the first nine failed tries of an event. */
const waits = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  day,
] as const
/** A wait may be shorter or longer by this share of it, so that many webhooks of one receiver do not try at once. */
const jitter = 0.2
/** A webhook without a success for this long is disabled. */
const patience = 5 * day
/** The most tries of an event that will probably never be accepted: the answer was 400 or 413, or the body is long. */
const triesOfHopeless = 9
/** A body with more bytes than this counts as long. */
const commonBytes = 1024 * 1024

export type Verdict =
  | { next: 'retry'; at: number }
  | { next: 'skip' }
  | { next: 'disable'; reason: 'gone' | 'failing' }

type Tried = {
  /** The number of this try of the event, from 1. */
  attempt: number
  bytes: number
  outcome: FailedTry
}

/** `chance`: a random number from 0 to 1. */
export const verdictOf = (
  { failingSince }: Pick<Webhook, 'failingSince'>,
  { attempt, bytes, outcome }: Tried,
  now: number,
  chance: number,
): Verdict => {
  const { status, retryAfterMs = 0 } = outcome
  if (status === 410) return { next: 'disable', reason: 'gone' }
  if (failingSince !== null && now - failingSince >= patience) return { next: 'disable', reason: 'failing' }
  const isHopeless = status === 400 || status === 413 || bytes > commonBytes
  if (isHopeless && attempt >= triesOfHopeless) return { next: 'skip' }
  const wait = (waits[attempt - 1] ?? day) * (1 - jitter + 2 * jitter * chance)
  return { next: 'retry', at: now + Math.round(Math.max(wait, retryAfterMs)) }
}
