// Reads the list of tasks from the server: its rows, the tasks that need attention, and counts.
import type { TaskStatus } from '../../src/contract/wire/task-status.ts'
import { type Api, queryOf } from '../api/api.ts'
import { type Page, readPages } from '../api/read-pages.ts'
import { type Filters, isFiltered, listQuery } from './filters.ts'
import { day } from './grouped-failures.ts'
import { byUrgency, type Row } from './rows.ts'

export type Counts = { total: number; by_status: Record<string, number> }

/** The largest number of tasks in one answer. */
const perPage = 100
/** The statuses of tasks that wait for a person. */
export const waits: TaskStatus[] = ['input-required', 'paused']
/** The most tasks that wait, and that failed, among those that need attention. */
export const [mostWaiting, mostFailed] = [20, 99]

/** Whether further tasks wait for a person, or failed within a day. */
export type Unshown = { waiting: boolean; failed: boolean }

/** All requests end when `signal` aborts. */
export const createListReader = (api: Api, filters: Filters, signal: AbortSignal) => {
  const page = (query: object, limit: number) =>
    api.ask<Row[]>('GET', `/tasks${queryOf({ ...query, fields: 'summary', limit })}`, undefined, signal)

  return {
    /** The newest tasks, as many as are wanted. */
    rows: (wanted: number): Promise<Page<Row>> =>
      readPages(wanted, async (last, left) => {
        const limit = Math.min(perPage, left)
        const query = { ...listQuery(filters, Date.now()), starting_after: last?.id ?? filters.before }
        const found = await page(query, limit)
        return { found, more: found.length === limit }
      }),
    /** The tasks that wait for a person, or failed lately; none while the list is filtered, or begins later. */
    async attention(): Promise<{ urgent: Row[]; unshown: Unshown }> {
      if (isFiltered(filters) || filters.before !== '')
        return { urgent: [], unshown: { waiting: false, failed: false } }
      const ask = (status: string[], limit: number, minutes?: number) =>
        page({ ...listQuery({ ...filters, minutes }, Date.now()), status }, limit)
      const [waiting, failed] = await Promise.all([
        ask(waits, mostWaiting + 1),
        ask(['failed'], mostFailed + 1, day),
      ])
      return {
        urgent: byUrgency([...waiting.slice(0, mostWaiting), ...failed.slice(0, mostFailed)]),
        unshown: { waiting: waiting.length > mostWaiting, failed: failed.length > mostFailed },
      }
    },
    counts(): Promise<Counts> {
      const query = { ...listQuery({ ...filters, statuses: [] }, Date.now()), fields: 'counts' }
      return api.ask<Counts>('GET', `/tasks${queryOf(query)}`, undefined, signal)
    },
  }
}
