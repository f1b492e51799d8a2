// Finds the streams of an export: for one task its stream, otherwise the streams whose first event fits the subject.
import { envSessionStream } from '../contract/env-session-events.ts'
import type { Header } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import type { StoredRow, StoredRows } from '../log/stored-rows.ts'
import type { Subject } from '../proof/export/format.ts'
import { mustFit } from '../proof/verify/event-check.ts'

/** A stream of an export, and the position of its first event. */
export type Beginning = { stream: string; position: number }

const firstOf = (rows: StoredRows, stream: string): StoredRow[] => {
  const [first] = rows.ofStream(stream)
  return first === undefined ? [] : [first]
}

/** The first events of the streams of a subject, which indexes of the log find. */
function* beginningsOf(rows: StoredRows, { kind, id }: Subject): Generator<StoredRow> {
  if (kind === 'task') return yield* firstOf(rows, taskStream(id))
  if (kind === 'user') return yield* rows.beginningsOf('owner', id)
  // The stream of an environment session with this id belongs to the session, whatever its first event says.
  const named = firstOf(rows, envSessionStream(id))
  yield* named
  for (const row of rows.beginningsOf('session_id', id)) if (row.stream !== named[0]?.stream) yield row
}

/**
 * The streams of a subject, in order of creation. With `ofUser`, only the streams of this user; the caller must check
 * this for a task. Throws Misfit when the first event of a stream does not fit.
 */
export const streamsOf = (rows: StoredRows, subject: Subject, ofUser?: string): Beginning[] => {
  const found: Beginning[] = []
  for (const row of beginningsOf(rows, subject)) {
    mustFit(row)
    const { stream, owner }: Header = JSON.parse(row.header)
    if (subject.kind === 'task' || ofUser === undefined || owner === ofUser)
      found.push({ stream, position: row.position })
  }
  return found.sort((a, b) => a.position - b.position)
}
