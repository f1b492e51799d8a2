// The query service of cron jobs. A principal gets the same answer for a job that it may not see as for one that does
// not exist.
import { createCronRows, type JobRow, type RunRow } from '../../projections/cron/rows.ts'
import { createCurrent, type Reading } from '../../projections/current.ts'
import type { ReadStore } from '../../projections/store.ts'
import { cronStream } from '../contract/events/cron-events.ts'
import type { Principal } from '../contract/events/token-events.ts'
import { Refusal } from '../contract/refusals.ts'

/** A page behind the position `after`. One row more than `limit` is read, which says whether more follow. */
export type PageQuery = { limit: number; after: number | undefined }
/** Only jobs of this user, and only jobs in this state. */
export type JobFilter = { userId: string | undefined; status: string | undefined }

const newest = Number.MAX_SAFE_INTEGER

export const createCronQueries = (store: ReadStore, projector: Reading) => {
  const { current, currentFor } = createCurrent(projector)
  const rows = createCronRows(store)
  const rowById = (id: string): JobRow | undefined => currentFor(cronStream(id), () => rows.byId(id))
  const maySee = ({ userId }: Principal, row: JobRow | undefined): row is JobRow =>
    row !== undefined && row.state !== 'deleted' && (userId === undefined || userId === row.user_id)

  const visible = (principal: Principal, id: string): JobRow => {
    const row = rowById(id)
    if (!maySee(principal, row)) throw new Refusal('CronJobNotFound')
    return row
  }
  return {
    rowById,
    /** The row of a job that this principal may see. Throws CronJobNotFound. */
    visible,
    /** Newest first. */
    list(principal: Principal, { limit, after = newest }: PageQuery, filter: JobFilter): JobRow[] {
      const { userId: named, status: state = null } = filter
      if (principal.userId !== undefined && named !== undefined && named !== principal.userId) return []
      const user = principal.userId ?? named ?? null
      return current(() => rows.page({ before: after, max: limit + 1, user, state }))
    },
    run: (jobId: string, runId: string): RunRow | undefined =>
      currentFor(cronStream(jobId), () => rows.run(runId)),
    /** The runs of a job, newest first. */
    runs: (job: string, { limit, after = newest }: PageQuery): RunRow[] =>
      currentFor(cronStream(job), () => rows.runs({ before: after, max: limit + 1, job })),
    countOf: (userId: string): number => current(() => rows.countOf(userId)),
    /** The jobs of a user, also deleted ones. */
    ofUser: (userId: string) => current(() => rows.ofUser(userId)),
    due: () => current(rows.due),
    open: () => current(rows.open),
    byMaker: () => current(rows.byMaker),
    secretRefs: (): string[] => current(rows.secretRefs),
    /** Jobs by state. Empty while the read models cannot be read. */
    states(): Record<string, number> {
      try {
        return Object.fromEntries(current(rows.states).map(({ state, jobs }) => [state, jobs]))
      } catch (error) {
        if (error instanceof Refusal) return {}
        throw error
      }
    },
  }
}
export type CronQueries = ReturnType<typeof createCronQueries>
