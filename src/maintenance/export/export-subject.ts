// Finds the streams of an export: for one task its stream, otherwise the streams whose first event fits the subject.
import { envSessionStream } from '../../contract/events/env-session-events.ts'
import type { Header } from '../../contract/stored.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { StoredRow, StoredRows } from '../../log/storage.ts'
import type { Subject } from '../../proof/export/format.ts'
import { mustFit } from '../../proof/verify/event-check.ts'

/** A stream of an export, and the position of its first event. */
export type Beginning = { stream: string; position: number }

const firstOf = async (rows: StoredRows, stream: string): Promise<StoredRow[]> => {
  const { value: page = [] } = await rows.ofStream(stream).next()
  return page.slice(0, 1)
}

/** The first events of the streams of a subject, in pages, which indexes of the log find. */
async function* beginningsOf(rows: StoredRows, { kind, id }: Subject): AsyncGenerator<StoredRow[]> {
  if (kind === 'task') return yield await firstOf(rows, taskStream(id))
  if (kind === 'user') return yield* rows.beginningsOf('owner', id)
  // The stream of an environment session with this id belongs to the session, whatever its first event says.
  const named = await firstOf(rows, envSessionStream(id))
  yield named
  for await (const page of rows.beginningsOf('session_id', id))
    yield page.filter(row => row.stream !== named[0]?.stream)
}

/**
 * The streams of a subject, in order of creation. With `ofUser`, only the streams of this user; the caller must check
 * this for a task. Rejects with Misfit when the first event of a stream does not fit.
 */
export const streamsOf = async (
  rows: StoredRows,
  subject: Subject,
  ofUser?: string,
): Promise<Beginning[]> => {
  const found: Beginning[] = []
  for await (const page of beginningsOf(rows, subject)) {
    for (const row of page) {
      mustFit(row)
      const { stream, owner }: Header = JSON.parse(row.header)
      if (subject.kind === 'task' || ofUser === undefined || owner === ofUser)
        found.push({ stream, position: row.position })
    }
  }
  return found.sort((a, b) => a.position - b.position)
}
