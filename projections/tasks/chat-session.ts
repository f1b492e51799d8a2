// Reads the tasks of one chat session: the last task, the tasks that wait for their client, and the items that each
// completed task adds to the context of later tasks.
import { taskIdOf, taskStream } from '../../src/contract/task-stream.ts'
import type { ContextReference } from '../../src/history/context.ts'
import type { ReadStore } from '../store.ts'
import { sound } from '../sums.ts'

/** The calls that a task waits for, from its stored fields. */
const pendingIn = (fields: string): string[] => {
  const { metadata } = JSON.parse(fields) as { metadata?: { pending_inputs?: { call_id: string }[] } }
  return (metadata?.pending_inputs ?? []).map(call => call.call_id)
}

export const createChatSessionRows = (store: ReadStore) => {
  const last = store
    .prepare<[string, string], string>(
      `SELECT id FROM tasks INDEXED BY tasks_by_session
       WHERE session_id = ? AND user_id = ? AND deleted = 0 AND subtask = 0
       ORDER BY position DESC LIMIT 1`,
    )
    .pluck()
  const waiting = store.prepare<[string, string], { id: string; fields: string; sum: number }>(
    `SELECT id, fields, sum FROM tasks WHERE user_id = ? AND session_id = ? AND status = 'input-required'
       AND deleted = 0 AND subtask = 0 AND agent <> 'group' ORDER BY position DESC`,
  )
  // Without its name, SQLite takes the index of the user's completed tasks, which are more than those of the session.
  const completed = store.prepare<[string, string, number], { id: string; contributed: string }>(
    `SELECT id, contributed FROM tasks INDEXED BY tasks_by_session
     WHERE session_id = ? AND user_id = ? AND status = 'completed' AND deleted = 0 AND subtask = 0
       AND ended_position <= ?
     ORDER BY ended_position`,
  )
  const pasts = store
    .prepare<[string, string], string>(
      'SELECT past FROM tasks WHERE session_id = ? AND user_id = ? AND past IS NOT NULL ORDER BY position',
    )
    .pluck()
  const isThere = store.prepare<[string], 1>('SELECT 1 FROM tasks WHERE id = ? AND deleted = 0').pluck()
  /** The conversation with which the session of a fork began. A deleted task no longer counts. */
  const past = (userId: string, sessionId: string): ContextReference[] =>
    pasts
      .all(sessionId, userId)
      .flatMap(text => JSON.parse(text) as ContextReference[])
      .filter(({ stream }) => isThere.get(taskIdOf(stream)) === 1)
  return {
    last: (userId: string, sessionId: string) => last.get(sessionId, userId),
    /** Tasks that wait for their client, newest first, each with the calls that it waits for. */
    waiting: (userId: string, sessionId: string) =>
      waiting
        .all(userId, sessionId)
        .map(({ id, fields, sum }) => ({ id, pending: pendingIn(sound(fields, sum)) })),
    /**
     * The items of earlier tasks with which the context of a task of this chat session begins. `position`: the task
     * started when the log ended at this position; absent: it starts now.
     */
    context: (userId: string, sessionId: string, position = Number.MAX_SAFE_INTEGER): ContextReference[] => [
      ...past(userId, sessionId),
      ...completed.all(sessionId, userId, position).map(({ id, contributed }) => ({
        stream: taskStream(id),
        items: JSON.parse(contributed) as string[],
      })),
    ],
  }
}
