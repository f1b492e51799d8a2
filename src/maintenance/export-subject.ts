// Finds the streams of an export: for one task its stream, otherwise the streams whose first event fits the subject.
import { envSessionStream } from '../contract/env-session-events.ts'
import type { Header } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import type { StoredRows } from '../log/stored-rows.ts'
import type { Subject } from '../proof/export/format.ts'
import { mustFit } from '../proof/verify/event-check.ts'

/**
 * The streams of a subject, in order of creation. With `ofUser`, only the streams of this user; the caller must check
 * this for a task. Throws Misfit when the first event of a stream does not fit.
 */
export const streamsOf = (rows: StoredRows, { kind, id }: Subject, ofUser?: string): string[] => {
  if (kind === 'task') return rows.endOf(taskStream(id)) === 0 ? [] : [taskStream(id)]
  const streams: string[] = []
  for (const row of rows.beginnings()) {
    mustFit(row)
    const { stream, owner, session_id }: Header = JSON.parse(row.header)
    const isOfSession = session_id === id || stream === envSessionStream(id)
    const isMeant = kind === 'user' ? owner === id : isOfSession
    if (isMeant && (ofUser === undefined || owner === ofUser)) streams.push(stream)
  }
  return streams
}
