// The query service of cron jobs. A principal gets the same answer for a job that it may not see as for one that does
// not exist.
import { type CronRequestPlace, createCronRequestRows } from '../../projections/cron/requests.ts'
import { createCronRows, type JobRow, type RunRow } from '../../projections/cron/rows.ts'
import { createCurrent, type Reading } from '../../projections/current.ts'
import type { ReadStore } from '../../projections/store.ts'
import { cronStream } from '../contract/cron-events.ts'
import { Invalid, Refusal } from '../contract/refusals.ts'
import type { Principal } from '../contract/token-events.ts'

export type ListQuery = { limit: number; startingAfter: string | undefined }

const unknownCursor = (what: string) =>
  new Invalid([
    { loc: ['query', 'starting_after'], msg: `There is no ${what} with this id`, type: 'value_error' },
  ])

/** Makes a page of rows. The query has asked for one row more than `limit`, to find out whether more follow. */
const pageOf = <Row>(rows: Row[], limit: number) => ({
  rows: rows.slice(0, limit),
  hasMore: rows.length > limit,
})

export const createCronQueries = (store: ReadStore, projector: Reading) => {
  const { current, currentFor } = createCurrent(projector)
  const rows = createCronRows(store)
  const requests = createCronRequestRows(store)
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
    /** Newest first. Throws Invalid for an unknown cursor. */
    list(
      principal: Principal,
      query: ListQuery & { userId: string | undefined; status: string | undefined },
    ) {
      const { limit, startingAfter, status = null } = query
      const cursor = startingAfter === undefined ? undefined : rowById(startingAfter)
      const isOthers = cursor !== undefined && ![undefined, cursor.user_id].includes(principal.userId)
      if (startingAfter !== undefined && (cursor === undefined || isOthers)) throw unknownCursor('cron job')
      const named = query.userId
      if (principal.userId !== undefined && named !== undefined && named !== principal.userId)
        return pageOf([], 1)
      const user = principal.userId ?? named ?? null
      const before = cursor?.position ?? Number.MAX_SAFE_INTEGER
      return pageOf(
        current(() => rows.page({ before, max: limit + 1, user, state: status })),
        limit,
      )
    },
    run: (jobId: string, runId: string): RunRow | undefined =>
      currentFor(cronStream(jobId), () => rows.run(runId)),
    /** The runs of a job, newest first. Throws Invalid for an unknown cursor. */
    runs(jobId: string, { limit, startingAfter }: ListQuery) {
      return currentFor(cronStream(jobId), () => {
        const cursor = startingAfter === undefined ? undefined : rows.run(startingAfter)
        if (startingAfter !== undefined && cursor?.job_id !== jobId) throw unknownCursor('run')
        const before = cursor?.position ?? Number.MAX_SAFE_INTEGER
        return pageOf(rows.runs({ before, max: limit + 1, job: jobId }), limit)
      })
    },
    requestByKey: (place: CronRequestPlace, key: string) => current(() => requests.byKey(place, key)),
    requestsByBody: (place: CronRequestPlace, digest: string, since: number) =>
      current(() => requests.byBody(place, digest, since)),
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
