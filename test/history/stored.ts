// A history as it was stored: exactly its rows, and what they fold to. One file a history, one JSON line a row,
// and a last line with the task object and the frames. What a released version has written, every later version must
// read to the same bytes: docs/decisions/39.

import type { Task } from '../../src/contract/wire.ts'
import type { Frame } from '../../src/history/frames.ts'

export type StoredRow = {
  position: number
  stream: string
  revision: number
  header: string
  payload: string
  salt: string
  leaf: string
}
export type Expected = { task: Task; deleted: boolean; frames: Frame[] }
export type StoredHistory = { rows: StoredRow[]; expected: Expected }

export const writeHistory = ({ rows, expected }: StoredHistory): string =>
  [...rows, { expected }].map(line => `${JSON.stringify(line)}\n`).join('')

export const readHistory = (text: string): StoredHistory => {
  const lines = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  const last = lines.pop() as { expected: Expected }
  return { rows: lines as StoredRow[], expected: last.expected }
}
