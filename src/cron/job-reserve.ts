// Enforces the limit for the cron jobs of one user, also when several requests for new jobs arrive together.
import type { Principal } from '../contract/events/token-events.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { CronQueries } from './queries.ts'

type Deps = { quotas: Pick<Quotas, 'mustHaveCronJob'>; queries: Pick<CronQueries, 'countOf'> }

/** Returns a function that runs `make` if the user may have a further job, and else throws OverQuota. */
export const createJobReserve = ({ quotas, queries }: Deps) => {
  /** The number of jobs of each user that are being created. */
  const creating = new Map<string, number>()
  return async <T>(principal: Principal, user: string, make: () => Promise<T>): Promise<T> => {
    const under = creating.get(user) ?? 0
    if (principal.userId !== undefined) quotas.mustHaveCronJob(queries.countOf(user) + under)
    creating.set(user, under + 1)
    try {
      return await make()
    } finally {
      const left = (creating.get(user) ?? 1) - 1
      if (left === 0) creating.delete(user)
      else creating.set(user, left)
    }
  }
}
