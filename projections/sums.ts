// Makes and checks checksums of texts and rows in the read models, since SQLite does not notice all damage.
import { crc32 } from 'node:zlib'
import { isCorrupt, resultOf } from '../src/platform/sqlite/errors.ts'
import { type TaskKeys, taskKeys } from './tasks/schema.ts'

/** A text or a row of the read models does not match its checksum. */
export class DamagedText extends Error {}
export const sumOf = (text: string): number => crc32(text)
/** Returns the text; throws when it does not match its checksum. */
export const sound = (text: string, sum: number): string => {
  if (sumOf(text) !== sum) throw new DamagedText('a text in the read models does not match its checksum')
  return text
}

/** The checksum of a row. Its columns may be in two objects. */
export const sumOfRow = <Part extends Partial<TaskKeys>>(
  part: Part,
  rest: Omit<TaskKeys, keyof Part>,
): number => {
  const others: Partial<TaskKeys> = rest
  return sumOf(JSON.stringify(taskKeys.map(key => part[key] ?? others[key])))
}

/** Returns the row; throws when it does not match its checksum. */
export const soundRow = <Row extends TaskKeys & { row_sum: number }>(row: Row): Row => {
  if (sumOfRow<TaskKeys>(row, {}) !== row.row_sum)
    throw new DamagedText('a row in the read models does not match its checksum')
  return row
}

export const isDamage = (error: unknown): boolean => error instanceof DamagedText || isCorrupt(error)
/** Whether an error comes from the file of the read models: the file cannot be read or written, or is damaged. */
export const isOfFile = (error: unknown): boolean => isDamage(error) || resultOf(error) !== undefined
