// Distinguishes a retry from a new request to make or run a job, by the same rules as for requests that create tasks.
// Keys and digests are in the log. Only the memory of this process knows which answers did not arrive whole.
import type { CronRequestPlace, CronRequestRow } from '../../projections/cron/requests.ts'
import type { Clock } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import { type FailingLog, mayBeStored } from '../contract/stored.ts'
import type { EventLog } from '../log/log.ts'
import type { Delivery } from '../tasks/deliveries.ts'
import { bodyLivesMs, keyLivesMs } from '../tasks/earlier-task.ts'
import { createOnce } from '../tasks/once.ts'
import { createUndelivered } from '../tasks/undelivered.ts'
import type { CronQueries } from './queries.ts'

/** Says how to find an earlier call of the same request, and whether the answer of this call arrives. */
export type Retry = { key: string | undefined; isRetry: boolean; delivery: Delivery }
type Call = CronRequestPlace & { digest: string; retry: Retry }

export const createCronRetries = (
  queries: Pick<CronQueries, 'requestByKey' | 'requestsByBody'>,
  log: FailingLog & Pick<EventLog, 'head'>,
  clock: Clock,
) => {
  const once = createOnce(log)
  const undelivered = createUndelivered(log.head())

  const earlier = ({ principal, subject, digest, retry }: Call): CronRequestRow | undefined => {
    const place = { principal, subject }
    const { key, isRetry } = retry
    if (key !== undefined) {
      const known = queries.requestByKey(place, key)
      if (known === undefined || known.time + keyLivesMs <= clock.now()) return undefined
      if (known.digest !== digest) throw new Refusal('Conflict', { idempotency_key: key })
      return known
    }
    if (!isRetry) return undefined
    const twins = queries.requestsByBody(place, digest, clock.now() - bodyLivesMs)
    return twins.length <= 1 ? twins[0] : twins.findLast(undelivered.has)
  }

  /** Finds the earlier call and claims it at once, so that no other retry that arrives now finds it too. */
  const claimed = (call: Call): CronRequestRow | undefined => {
    const found = earlier(call)
    if (found !== undefined) undelivered.claim(found)
    return found
  }

  /**
   * Runs `make`, which makes the job or the run `newId`, or finds what an earlier call of this request made. Resolves to
   * the id of the job or of the run.
   */
  return async (
    call: Call,
    newId: string,
    make: () => Promise<unknown>,
  ): Promise<{ id: string; replayed: boolean }> => {
    const { principal, subject, digest, retry } = call
    const whose = `${principal} ${subject}`
    const named = retry.key === undefined ? [] : [`key ${whose} ${retry.key}`]
    const names = { named, body: `body ${whose} ${digest}`, isRetry: retry.isRetry }
    const done = await once(names, () => claimed(call), make).catch(error => {
      if (mayBeStored(error)) undelivered.add(newId)
      throw error
    })
    const id = 'replay' in done ? done.replay.id : newId
    retry.delivery.onEnd(whole => {
      if (!whole) undelivered.add(id)
    })
    return { id, replayed: 'replay' in done }
  }
}
export type CronRetries = ReturnType<typeof createCronRetries>
