// The columns of an event as every reader of log files selects them, and the rows that they make. A damaged file may
// give null where the table allows only a text.
import type { StoredRow } from '../storage.ts'
import type { Row } from '../store.ts'

/** For a table `events` that the statement calls `e`. A statement may select the id of the stream behind them. */
export const columns = 'e.position, e.stream_no, e.revision, e.header, e.payload, e.salt, e.leaf'
type Text = string | null
export type Columns = [number, number, number, Text, Text, Text, Text, stream?: Text]
/** The columns with the id of the stream, which a join has found. */
export type NamedColumns = [number, number, number, Text, Text, Text, Text, stream: string]

export const rowOf = (
  [position, streamNo, revision, header, payload, salt, leaf, joined = null]: Columns,
  stream = joined,
): StoredRow => ({
  position,
  streamNo,
  stream,
  revision,
  header: header ?? '',
  payload,
  salt,
  leaf: leaf ?? '',
})
export function* rowsOf(found: Iterable<Columns>): Generator<StoredRow> {
  for (const one of found) yield rowOf(one)
}

/** The row as the log reads it. */
export const namedRow = ([position, , revision, header, payload, salt, leaf, stream]: NamedColumns): Row => ({
  position,
  stream,
  revision,
  header: header ?? '',
  payload,
  salt,
  leaf: leaf ?? '',
})
export function* namedRows(found: Iterable<NamedColumns>): Generator<Row> {
  for (const one of found) yield namedRow(one)
}
