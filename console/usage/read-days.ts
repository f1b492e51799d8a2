// Counts the tasks of the past days by status. The server finds the tasks of a day by an index, and counts them.
import { isTerminal, type TaskStatus, taskStatuses } from '../../src/contract/wire/task-status.ts'
import { queryOf } from '../api/api.ts'
import { api } from '../api/session.ts'

/** `begin`: the first moment of the day here, in milliseconds. */
export type Day = { begin: number; total: number; byStatus: Partial<Record<TaskStatus, number>> }

export const days = 14

/** The first moments of the past days and of the next one, oldest first. A day may have 23 or 25 hours. */
const beginnings = (now: Date): number[] =>
  Array.from({ length: days + 1 }, (_, n) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - days + 1 + n).getTime(),
  )

const hasOpen = ({ byStatus }: Day): boolean =>
  taskStatuses.some(status => !isTerminal(status) && (byStatus[status] ?? 0) > 0)

/** Tasks of an earlier day that have not ended may end at any time, but few do: milliseconds until they are counted again. */
const recountMs = 5 * 60_000

export const createDayReader = () => {
  /** The days that are over, by their beginnings. `until`: when the day must be counted again. */
  const known = new Map<number, { day: Day; until: number }>()
  const readDay = async (begin: number, end: number, signal: AbortSignal): Promise<Day> => {
    const [created_after, created_before] = [begin, end].map(time => new Date(time).toISOString())
    const path = `/tasks${queryOf({ fields: 'counts', created_after, created_before })}`
    type Counts = { total: number; by_status: Day['byStatus'] }
    const { total, by_status } = await api.ask<Counts>('GET', path, undefined, signal)
    return { begin, total, byStatus: by_status }
  }
  /** Reads one day after the other: today each time, earlier days more rarely, or never again. Rejects with ApiError. */
  return async (signal: AbortSignal): Promise<Day[]> => {
    const edges = beginnings(new Date())
    const found: Day[] = []
    for (const [n, begin] of edges.slice(0, days).entries()) {
      const end = edges[n + 1] as number
      const before = known.get(begin)
      const isKnown = before !== undefined && Date.now() < before.until
      const day = isKnown ? before.day : await readDay(begin, end, signal)
      if (!isKnown && end <= Date.now())
        known.set(begin, { day, until: hasOpen(day) ? Date.now() + recountMs : Number.POSITIVE_INFINITY })
      found.push(day)
    }
    return found
  }
}
