// Reads the tasks of one chat session: the last task, the tasks that wait for their client, and the items that each
// completed task adds to the context of later tasks.
import type { StartContext } from '../../src/contract/commands/commands.ts'
import { taskIdOf, taskStream } from '../../src/contract/task-stream.ts'
import type { ContextReference } from '../../src/history/context.ts'
import type { ReadStore } from '../store.ts'
import { sound } from '../sums.ts'

type Pending = { call_id: string; metadata?: { asked_by?: string } }

/** The calls that a task waits for, from its stored fields. `asks`: calls on the server ask something of them. */
const pendingIn = (fields: string): { pending: string[]; asks: boolean } => {
  const { metadata } = JSON.parse(fields) as { metadata?: { pending_inputs?: Pending[] } }
  const calls = metadata?.pending_inputs ?? []
  return {
    pending: calls.map(call => call.call_id),
    asks: calls.some(call => call.metadata?.asked_by !== undefined),
  }
}

/**
 * A completed task. `position`: of its creation. `seen_until`: it saw the tasks that completed up to this position; null: it
 * saw others. A task that continues another one also saw this one, which ended when it was created.
 */
type Completed = {
  id: string
  position: number
  contributed: string
  ended_position: number
  seen_until: number | null
}
/** A task with whose context another one may begin. */
type Base = Completed & { seen_until: number }

/** The position before which everything completed that a task saw at its start. */
const endOfSeen = ({ seen_until, position }: Base): number => Math.max(seen_until, position)

const referenceTo = ({ id, contributed }: Completed): ContextReference => ({
  stream: taskStream(id),
  items: JSON.parse(contributed) as string[],
})

export const createChatSessionRows = (store: ReadStore) => {
  const last = store
    .prepare<[string, string], string>(
      `SELECT id FROM tasks INDEXED BY tasks_by_session
       WHERE session_id = ? AND user_id = ? AND deleted = 0 AND subtask = 0
       ORDER BY position DESC LIMIT 1`,
    )
    .pluck()
  const waiting = store.prepare<[string, string], { id: string; fields: string; sum: number; passes: 0 | 1 }>(
    `SELECT id, fields, sum,
       agent = 'group' OR json_extract(fields, '$.metadata.pending_task') IS NOT NULL AS passes
     FROM tasks WHERE user_id = ? AND session_id = ? AND status = 'input-required'
       AND deleted = 0 AND subtask = 0 ORDER BY position DESC`,
  )
  // Without the name of the index, SQLite takes that of the user's completed tasks, which are more than those of the session.
  const completed = store.prepare<[string, string, number], Completed>(
    `SELECT id, position, contributed, ended_position, seen_until FROM tasks INDEXED BY tasks_completed_in_session
     WHERE session_id = ? AND user_id = ? AND status = 'completed' AND deleted = 0 AND subtask = 0
       AND ended_position <= ?
     ORDER BY ended_position DESC`,
  )
  const firstDeleted = store
    .prepare<
      [{ session: string; user: string; seen_until: number; position: number; end: number }],
      number | null
    >(
      `SELECT min(ended_position) FROM tasks INDEXED BY tasks_deleted_from_session
       WHERE session_id = :session AND user_id = :user AND status = 'completed' AND deleted = 1 AND subtask = 0
         AND deleted_position > :seen_until AND ended_position <= :end
         AND (ended_position <= :seen_until OR deleted_position > :position)`,
    )
    .pluck()
  const pasts = store
    .prepare<[string, string], string>(
      'SELECT past FROM tasks WHERE session_id = ? AND user_id = ? AND past IS NOT NULL ORDER BY position',
    )
    .pluck()
  const stays = store
    .prepare<[string], number | null>('SELECT deleted_position FROM tasks WHERE id = ? AND deleted <= 1')
    .pluck()

  /** The conversation with which the session of a fork began. A deleted task no longer counts. */
  const pastOf = (userId: string, sessionId: string) => {
    const all = pasts
      .all(sessionId, userId)
      .flatMap(text => JSON.parse(text) as ContextReference[])
      .map(reference => ({ reference, deleted: stays.get(taskIdOf(reference.stream)) }))
    return {
      past: all.flatMap(({ reference, deleted }) => (deleted === null ? [reference] : [])),
      /** Whether a task of it was deleted after a position, or erased. */
      hasLost: (position: number) =>
        all.some(({ deleted }) => deleted === undefined || (deleted !== null && deleted > position)),
    }
  }

  /**
   * Reads completed tasks backwards, until the rest is what one of them saw at its start: `base`, which may have seen
   * only tasks that completed before `limit`. Without such a task, reads all of them.
   */
  const newestUntil = (userId: string, sessionId: string, limit: number) => {
    let base: Base | undefined
    const newest: Completed[] = []
    for (const row of completed.iterate(sessionId, userId, Number.MAX_SAFE_INTEGER)) {
      const { ended_position, seen_until } = row
      if (base !== undefined && ended_position <= base.seen_until) break
      newest.push(row)
      if (seen_until === null) continue
      const next = { ...row, seen_until }
      if (endOfSeen(next) >= limit) continue
      if (base === undefined || seen_until > base.seen_until) base = next
    }
    return { base, newest: newest.reverse() }
  }

  /** The newest tasks after the context of a task from which no seen task has been deleted since. */
  const newestAfterBase = (userId: string, sessionId: string) => {
    let found = newestUntil(userId, sessionId, Number.POSITIVE_INFINITY)
    while (found.base !== undefined) {
      const { seen_until, position } = found.base
      const of = { session: sessionId, user: userId, seen_until, position, end: endOfSeen(found.base) }
      const deleted = firstDeleted.get(of) ?? null
      if (deleted === null) break
      found = newestUntil(userId, sessionId, deleted)
    }
    return found
  }

  return {
    last: (userId: string, sessionId: string) => last.get(sessionId, userId),
    /**
     * Tasks that wait for their client, newest first, each with the calls that it waits for. `passes`: another task has
     * made these calls, that of a turn or of a subagent, and this one passes results on to it, or calls on the server ask.
     */
    waiting: (userId: string, sessionId: string) =>
      waiting.all(userId, sessionId).map(({ id, fields, sum, passes }) => {
        const { pending, asks } = pendingIn(sound(fields, sum))
        return { id, pending, passes: passes === 1 || asks }
      }),
    /**
     * What a task that starts now sees of earlier tasks: the completed tasks of its chat session, in the order in which
     * they ended. It names those that the task `context_of` did not see.
     */
    context(userId: string, sessionId: string): StartContext {
      const { past, hasLost } = pastOf(userId, sessionId)
      const known = newestAfterBase(userId, sessionId)
      const namesAll = known.base !== undefined && hasLost(known.base.seen_until)
      const { base, newest } = namesAll ? newestUntil(userId, sessionId, 0) : known
      const seenUntil = newest.at(-1)?.ended_position
      return {
        context: [...(base === undefined ? past : []), ...newest.map(referenceTo)],
        ...(base === undefined ? {} : { context_of: taskStream(base.id) }),
        ...(seenUntil === undefined ? {} : { seen_until: seenUntil }),
      }
    },
    /** All that a task saw of its chat session which started when the log ended at this position. */
    conversation: (userId: string, sessionId: string, position: number): ContextReference[] => [
      ...pastOf(userId, sessionId).past,
      ...completed.all(sessionId, userId, position).reverse().map(referenceTo),
    ],
  }
}
