// Reads rows of tasks in the order of their creation. Rows that an index finds are read at once. Rows that must be
// checked one by one are read in slices, so that other requests run while a client searches a million tasks.
import { Refusal } from '../../src/contract/refusals.ts'
import type { Pause } from '../../src/fairness/slices.ts'
import type { ReadStore, Statement } from '../store.ts'
import { and, type Where } from './filters.ts'

/** The largest number of rows that one slice checks. */
export const sliceRows = 1000

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
   * Reads slices of rows in order, until a slice is not full or `take` says that it has enough. `take` returns the
   * number of rows and the last position of its slice. Throws ReadModelsBehind.
   */
  const inSlices = async (
    where: Where,
    order: Order,
    pause: Pause,
    take: (slice: Where) => { rows: number; last: number; isEnough: boolean },
  ): Promise<void> => {
    let slice = where
    for (;;) {
      const { rows, last, isEnough } = reading(() => take(slice))
      if (rows < sliceRows || isEnough) break
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
    await inSlices(where, order, pause, ({ sql, values }) => {
      const rows = prepared<{ position: number; fits: number }>(
        `SELECT position, ${fits.sql.join(' AND ')} AS fits
         FROM tasks WHERE ${sql.join(' AND ')} ORDER BY position ${order} LIMIT ${sliceRows}`,
      ).all(...fits.values, ...values)
      for (const row of rows) if (row.fits === 1) found.push(row.position)
      return { rows: rows.length, last: rows.at(-1)?.position ?? 0, isEnough: found.length >= wanted }
    })
    return found
  }
  return { prepared, inSlices, firstPositions, reading }
}
export type TaskWalk = ReturnType<typeof createTaskWalk>
