// Reads rows of tasks in the order of their creation. Rows that an index finds are read at once. Rows that must be
// checked one by one are read in slices, so that other requests run while a client searches a million tasks.
import { Refusal } from '../../src/contract/refusals.ts'
import type { Pause } from '../../src/fairness/slices.ts'
import type { ReadStore, Statement } from '../store.ts'
import { and, type Where } from './filters.ts'

/** The largest number of rows that one slice checks. */
export const sliceRows = 1000
/** The first slice of a page has the rows that are wanted, since often all rows fit. Each further one is larger. */
const growth = 4

type Order = 'asc' | 'desc'

type Parts = { store: ReadStore; reading: <T>(ask: () => T) => T; isCurrent: () => boolean }

export const createTaskWalk = ({ store, reading, isCurrent }: Parts) => {
  const statements = new Map<string, Statement<unknown[], unknown>>()
  const prepared = <Row>(sql: string) => {
    const known = statements.get(sql) ?? store.prepare<unknown[], unknown>(sql)
    statements.set(sql, known)
    return known as Statement<unknown[], Row>
  }

  /**
   * Reads slices of rows in order, until a slice is not full or `take` says that it has enough. `take` reads at most
   * `limit` rows, and returns their number and the last position of its slice. Throws ReadModelsBehind.
   */
  const inSlices = async (
    where: Where,
    order: Order,
    pause: Pause,
    take: (slice: Where, limit: number) => { rows: number; last: number; isEnough: boolean },
    first = sliceRows,
  ): Promise<void> => {
    let slice = where
    for (let limit = first; ; limit = Math.min(sliceRows, growth * limit)) {
      const { rows, last, isEnough } = reading(() => take(slice, limit))
      if (rows < limit || isEnough) break
      slice = and(where, order === 'asc' ? 'position > ?' : 'position < ?', last)
      await pause()
    }
    if (!isCurrent()) throw new Refusal('ReadModelsBehind')
  }

  /** The positions of the first tasks that match, in the wanted order. */
  const firstPositions = async (
    where: Where,
    fits: Where | undefined,
    order: Order,
    wanted: number,
    pause: Pause,
  ) => {
    const rest = `FROM tasks WHERE ${where.sql.join(' AND ')} ORDER BY position ${order} LIMIT ?`
    if (fits === undefined) {
      const find = prepared<{ position: number }>(`SELECT position ${rest}`)
      return reading(() => find.all(...where.values, wanted)).map(({ position }) => position)
    }
    const found: number[] = []
    const take = ({ sql, values }: Where, limit: number) => {
      const rows = prepared<{ position: number; fits: number }>(
        `SELECT position, ${fits.sql.join(' AND ')} AS fits
         FROM tasks WHERE ${sql.join(' AND ')} ORDER BY position ${order} LIMIT ?`,
      ).all(...fits.values, ...values, limit)
      for (const row of rows) if (row.fits === 1) found.push(row.position)
      return { rows: rows.length, last: rows.at(-1)?.position ?? 0, isEnough: found.length >= wanted }
    }
    await inSlices(where, order, pause, take, wanted)
    return found
  }
  return { prepared, inSlices, firstPositions, reading }
}
export type TaskWalk = ReturnType<typeof createTaskWalk>
