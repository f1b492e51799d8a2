// Reads rows of tasks: one by its id, those that have not ended, and those past their deadline. Also counts tasks.
import type { TaskStatus } from '../../src/contract/wire.ts'
import type { ReadStore } from '../store.ts'
import { soundRow } from '../sums.ts'
import { type TaskKeys, taskKeys } from './schema.ts'
import { createStoredCounts } from './stored-counts.ts'

export type TaskRow = TaskKeys & { position: number; status: TaskStatus }

/** `subtask`: 1 for the task of a subagent. */
export type PausedTask = Pick<TaskRow, 'id' | 'user_id' | 'session_id' | 'subtask'> & { agent: string }

export type UnfinishedTask = TaskRow & {
  secret_ref: string | null
  wakes_at: number | null
  pending_task: string | null
  asks: 0 | 1 | null
}

export const rowColumns = ['position', ...taskKeys, 'row_sum'].join(', ')

export const createTaskRows = (store: ReadStore) => {
  const byId = store.prepare<[string], TaskRow & { row_sum: number }>(
    `SELECT ${rowColumns} FROM tasks WHERE id = ?`,
  )
  const endOf = store
    .prepare<[string], number | null>('SELECT ended_position FROM tasks WHERE id = ?')
    .pluck()
  const inputs = store.prepare<[string], string>('SELECT inputs FROM tasks WHERE id = ?').pluck()
  const unfinished = store.prepare<[], UnfinishedTask>(
    `SELECT ${rowColumns}, secret_ref, wakes_at,
       CASE status WHEN 'input-required' THEN json_extract(fields, '$.metadata.pending_task') END AS pending_task,
       CASE status WHEN 'input-required'
         THEN instr(json_extract(fields, '$.metadata.pending_inputs'), '"asked_by":') > 0 END AS asks
     FROM tasks WHERE ended_at IS NULL ORDER BY position`,
  )
  const paused = store.prepare<[string], PausedTask>(
    `SELECT id, agent, user_id, session_id, subtask FROM tasks
     WHERE status = 'paused' AND deleted = 0 AND json_extract(fields, '$.metadata.reason') = ? ORDER BY position`,
  )
  const overdue = store.prepare<[number], string>('SELECT id FROM tasks WHERE deadline <= ?').pluck()
  const storedCounts = createStoredCounts(store)
  return {
    byId(id: string): TaskRow | undefined {
      const row = byId.get(id)
      return row && soundRow(row)
    },
    /** The position of the event that ended a task. */
    endOf: (id: string): number | undefined => endOf.get(id) ?? undefined,
    /** The ids of the inputs of a task, in order. */
    inputIds: (id: string) => JSON.parse(inputs.get(id) ?? '[]') as string[],
    /**
     * Every task that has not ended, oldest first. `wakes_at`: the code of its agent waits, until this time at the latest
     * (Unix milliseconds); null: it does not wait. `pending_task`: the task of a subagent for which it waits. `asks`: it waits for
     * answers to questions of calls on the server, or seems to.
     */
    unfinished: () => unfinished.all(),
    /** The tasks whose metadata says that they are paused for this reason, oldest first. */
    pausedFor: (reason: string) => paused.all(reason),
    /** Tasks whose stored deadline has passed. */
    overdue: (now: number) => overdue.all(now),
    /** How many tasks there are of each status, deleted ones included. */
    counts(): Record<string, number> {
      const found: Record<string, number> = {}
      for (const { status, tasks } of storedCounts(undefined)) found[status] = (found[status] ?? 0) + tasks
      return found
    },
  }
}
