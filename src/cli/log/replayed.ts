// What a replay needs, and the text for a difference that it finds.
import type { Difference } from '../../../projections/compare.ts'
import type { Config } from '../../config.ts'
import type { ReadOnlyLog } from '../../log/read-only.ts'
import { type Printer, shortened } from '../terminal/printer.ts'

export type Replaying = { config: Config; log: ReadOnlyLog; printer: Printer; json: boolean }

const shown = (value: unknown): string => shortened(JSON.stringify(value), 60)

export const differenceText = ({ table, row, field, stored, replayed }: Difference): string => {
  const where = `${table} ${row}`
  if (field !== 'row') return `${where}: ${field} is ${shown(stored)}, replayed it is ${shown(replayed)}`
  return stored === null ? `${where}: the row is missing` : `${where}: no event of the log makes this row`
}
