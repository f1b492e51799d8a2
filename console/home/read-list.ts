// Reads the list of tasks from the server: its rows, the tasks that need attention, and counts.
import { type Api, queryOf } from '../api/api.ts'
import { type Filters, isFiltered, listQuery } from './filters.ts'
import { byUrgency, type Row } from './rows.ts'

export type Counts = { total: number; by_status: Record<string, number> }

/** The largest number of tasks in one answer. */
const perPage = 100
/** A failed task needs attention for this many minutes: a day. */
const day = 24 * 60

/** All requests end when `signal` aborts. */
export const createListReader = (api: Api, filters: Filters, signal: AbortSignal) => {
  const page = (query: object, limit: number) =>
    api.ask<Row[]>('GET', `/tasks${queryOf({ ...query, fields: 'summary', limit })}`, undefined, signal)

  return {
    /** The newest tasks, as many as are wanted. */
    async rows(wanted: number): Promise<{ found: Row[]; more: boolean }> {
      const found: Row[] = []
      for (;;) {
        const left = Math.min(perPage, wanted - found.length)
        const query = {
          ...listQuery(filters, Date.now()),
          starting_after: found.at(-1)?.id ?? filters.before,
        }
        const next = await page(query, left)
        found.push(...next)
        if (next.length < left || found.length >= wanted) return { found, more: next.length === left }
      }
    },
    /** The tasks that wait for a person, or failed lately; none while the list is filtered, or begins later. */
    async attention(): Promise<Row[]> {
      if (isFiltered(filters) || filters.before !== '') return []
      const ask = (status: string[], limit: number, minutes?: number) =>
        page({ ...listQuery({ ...filters, minutes }, Date.now()), status }, limit)
      const [waiting, failed] = await Promise.all([
        ask(['input-required', 'paused'], 20),
        ask(['failed'], 10, day),
      ])
      return byUrgency([...waiting, ...failed])
    },
    counts(): Promise<Counts> {
      const query = { ...listQuery({ ...filters, statuses: [] }, Date.now()), fields: 'counts' }
      return api.ask<Counts>('GET', `/tasks${queryOf(query)}`, undefined, signal)
    },
  }
}
