// Sums of what stands in the read models: SQLite does not notice every damage, and what does not fit is not believed.
import { crc32 } from 'node:zlib'
import { isCorrupt } from '../src/platform/sqlite/corrupt.ts'

/** Something is not as it was written. */
export class DamagedText extends Error {}
export const sumOf = (text: string): number => crc32(text)
/** Throws when it is not the text that was written. */
export const sound = (text: string, sum: number): string => {
  if (sumOf(text) !== sum) throw new DamagedText('a text does not fit its sum')
  return text
}

/** What a task is found and shown by, besides its texts. */
export type TaskKeys = {
  id: string
  user_id: string
  session_id: string
  status: string
  agent: string
  subtask: number
  deleted: number
  principal: string
  digest: string
  request_id: string
  ended_at: number | null
  /** Whether the task object shows its rollouts: 0, no. */
  rollouts: number
}

export const sumOfRow = (row: TaskKeys): number =>
  sumOf(
    JSON.stringify([
      row.id,
      row.user_id,
      row.session_id,
      row.status,
      row.agent,
      row.subtask,
      row.deleted,
      row.principal,
      row.digest,
      row.request_id,
      row.ended_at,
      row.rollouts,
    ]),
  )

/** Throws when it is not the row that was written. */
export const soundRow = <Row extends TaskKeys & { row_sum: number }>(row: Row): Row => {
  if (sumOfRow(row) !== row.row_sum) throw new DamagedText('a row does not fit its sum')
  return row
}

export const isDamage = (error: unknown): boolean => error instanceof DamagedText || isCorrupt(error)
/** Whether it is the file that cannot be asked, damaged or not. */
export const isOfFile = (error: unknown): boolean =>
  isDamage(error) || /^SQLITE_/.test((error as { code?: string }).code ?? '')
