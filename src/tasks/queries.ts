// The read door: everything that can be asked without changing anything, from the read models, and for a
// task's own history from the log. What a principal may not see is not there for it.
import type { Projector } from '../../projections/projector.ts'
import type { ReadStore } from '../../projections/store.ts'
import { sound, soundRow, type TaskKeys } from '../../projections/sums.ts'
import { createTaskLists } from '../../projections/tasks/lists.ts'
import { createStoredTasks } from '../../projections/tasks/stored.ts'
import { Refusal } from '../contract/refusals.ts'
import { DamagedEvent, type Log, StorageFailure } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import type { Principal, Role } from '../contract/token-events.ts'
import type { TaskStatus } from '../contract/wire.ts'
import { nextTurn, type Pause } from '../fairness/slices.ts'
import type { ContextReference } from '../history/context.ts'
import { wholeAtMost } from '../platform/pieces.ts'

export type TaskRow = TaskKeys & { position: number; status: TaskStatus }
export type TokenRow = {
  id: string
  hash: string
  role: Role
  user_id: string | null
  created_at: number
  expires_at: number | null
}

/** A file of a task that has ended and is not written yet. `task`: the position that created its task. */
export type TaskFile = {
  task: number
  kind: 'rollouts' | 'log'
  id: string
  user_id: string
  folder: string
}

const rowColumns =
  'position, id, user_id, session_id, status, agent, subtask, deleted, principal, digest, request_id, ended_at, rollouts, row_sum'

export const createQueries = (
  store: ReadStore,
  {
    isCurrent,
    isCurrentFor,
    flush,
    reading,
  }: Pick<Projector, 'isCurrent' | 'isCurrentFor' | 'flush' | 'reading'>,
  log: Log,
) => {
  const rowOfId = store.prepare<[string], TaskRow & { row_sum: number }>(
    `SELECT ${rowColumns} FROM tasks WHERE id = ?`,
  )
  const rowById = (id: string): TaskRow | undefined => {
    const row = rowOfId.get(id)
    return row && soundRow(row)
  }
  const inputsById = store.prepare<[string], string>('SELECT inputs FROM tasks WHERE id = ?').pluck()
  const unfinishedRows = store.prepare<[], TaskRow & { secret_ref: string | null }>(
    `SELECT ${rowColumns}, secret_ref FROM tasks WHERE ended_at IS NULL ORDER BY position`,
  )
  const overdueRows = store.prepare<[number], string>('SELECT id FROM tasks WHERE deadline <= ?').pluck()
  const lastInSession = store
    .prepare<[string, string], string>(
      `SELECT id FROM tasks WHERE session_id = ? AND user_id = ? AND deleted = 0 AND subtask = 0
       ORDER BY position DESC LIMIT 1`,
    )
    .pluck()
  const waitingInSession = store.prepare<[string, string], { id: string; fields: string; sum: number }>(
    `SELECT id, fields, sum FROM tasks WHERE user_id = ? AND session_id = ? AND status = 'input-required'
       AND deleted = 0 AND subtask = 0 ORDER BY position DESC`,
  )
  const completedInSession = store.prepare<[string, string], { id: string; contributed: string }>(
    `SELECT id, contributed FROM tasks
     WHERE session_id = ? AND user_id = ? AND status = 'completed' AND deleted = 0 AND subtask = 0
     ORDER BY completed_position`,
  )
  const keyRow = store.prepare<[string, string], { task_id: string; digest: string; time: number }>(
    'SELECT task_id, digest, time FROM idempotency_keys WHERE principal = ? AND key = ?',
  )
  const twins = store.prepare<[string, string, number], TaskRow>(
    `SELECT ${rowColumns} FROM tasks WHERE principal = ? AND digest = ? AND has_key = 0 AND deleted = 0
       AND (ended_at IS NULL OR ended_at >= ?) ORDER BY position`,
  )
  const stepRows = store.prepare<
    [{ after: number; user: string | null; limit: number }],
    { position: number; id: string }
  >(
    `SELECT s.position, t.id FROM steps s JOIN tasks t ON t.position = s.task
     WHERE s.position > :after AND t.deleted = 0 AND (:user IS NULL OR t.user_id = :user)
     ORDER BY s.position LIMIT :limit`,
  )
  const missingFiles = store.prepare<[number, string], TaskFile>(
    `SELECT f.task, f.kind, t.id, t.user_id, f.folder FROM task_files f JOIN tasks t ON t.position = f.task
     WHERE (f.task, f.kind) > (?, ?) ORDER BY f.task, f.kind LIMIT 100`,
  )
  const forgetFile = store.prepare<[number, string]>('DELETE FROM task_files WHERE task = ? AND kind = ?')
  const counts = store.prepare<[], { status: string; tasks: number }>(
    'SELECT status, tasks FROM task_counts WHERE tasks <> 0',
  )
  const tokenUser = store.prepare<[string], string | null>('SELECT user_id FROM tokens WHERE id = ?').pluck()
  const tokenRows = store.prepare<[], TokenRow>(
    'SELECT * FROM tokens WHERE revoked = 0 ORDER BY created_at, id',
  )

  const tokenOf = store
    .prepare<[string], 1>('SELECT 1 FROM tokens WHERE user_id = ? AND revoked = 0 LIMIT 1')
    .pluck()

  const stored = createStoredTasks(store, reading)

  /** Asks the read models once they hold everything that the log holds; refuses while they do not. */
  const current =
    <Given extends unknown[], Answer>(ask: (...given: Given) => Answer) =>
    (...given: Given): Answer => {
      flush()
      if (!isCurrent()) throw new Refusal('ReadModelsBehind')
      return reading(() => ask(...given))
    }

  /** The row of a task, once the tables hold everything of its stream. */
  const rowOfTask = (id: string): TaskRow | undefined => {
    const stream = taskStream(id)
    flush(stream)
    if (!isCurrentFor(stream)) throw new Refusal('ReadModelsBehind')
    return reading(() => rowById(id))
  }

  const mayTouch = (principal: Principal, row: { user_id: string }) =>
    principal.userId === undefined || principal.userId === row.user_id

  /** A stream of which the log finds nothing, though a task was made of it, has lost its entry there. */
  const hasEvents = (stream: string): boolean => {
    try {
      return log.revisionOf(stream) !== -1
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error
      return false
    }
  }

  /** The row of a task that this principal may see. Throws DamagedEvent when the log does not know it. */
  const visible = (principal: Principal, taskId: string): TaskRow => {
    const row = rowOfTask(taskId)
    if (row === undefined || row.deleted === 1 || !mayTouch(principal, row)) throw new Refusal('TaskNotFound')
    if (!hasEvents(taskStream(taskId))) throw new DamagedEvent(row.position, 'is not found in its stream')
    return row
  }

  const lists = createTaskLists({ store, stored, reading, isCurrent, rowById, head: log.head })

  return {
    visible,
    isVisible: (principal: Principal, row: TaskRow): boolean => row.deleted === 0 && mayTouch(principal, row),
    /** Of a task that was just found. */
    task: (position: number, pause: Pause = nextTurn) =>
      reading(() => stored.text(position, wholeAtMost, pause)),
    /** The same as one string, however long. */
    taskText: (position: number): string => reading(() => stored.whole(position)),
    /** The same text by text, each whole: the fields, then the items. */
    textsOf: stored.texts,
    list: current(lists.list),
    countTasks: current(lists.count),
    rowById: rowOfTask,
    /** Every task that has not ended, oldest first. */
    unfinished: current(() => unfinishedRows.all()),
    /** Tasks whose stored deadline has passed. */
    overdue: current((now: number) => overdueRows.all(now)),
    lastInSession: current((userId: string, sessionId: string) => lastInSession.get(sessionId, userId)),
    /** What a task that starts now in this session sees of the ones before it. */
    sessionContext: current((userId: string, sessionId: string): ContextReference[] =>
      completedInSession.all(sessionId, userId).map(({ id, contributed }) => ({
        stream: taskStream(id),
        items: JSON.parse(contributed) as string[],
      })),
    ),
    /** Tasks of a session that wait for their client, newest first, each with the calls that it waits for. */
    waitingInSession: current((userId: string, sessionId: string) =>
      waitingInSession.all(userId, sessionId).map(({ id, fields, sum }) => {
        const { metadata } = JSON.parse(sound(fields, sum)) as {
          metadata?: { pending_inputs?: { call_id: string }[] }
        }
        return { id, pending: (metadata?.pending_inputs ?? []).map(call => call.call_id) }
      }),
    ),
    inputIds: current((taskId: string) => JSON.parse(inputsById.get(taskId) ?? '[]') as string[]),
    idempotencyKey: current((principalId: string, key: string) => keyRow.get(principalId, key)),
    /** Creates of this principal with the same body and without a key, unfinished or ended at or after `since`, oldest first. */
    sameBody: current((principalId: string, digest: string, since: number) =>
      twins.all(principalId, digest, since),
    ),
    /** Completed agent steps after a position, of one user or of all, oldest first. */
    steps: current((after: number, limit: number, user?: string) =>
      stepRows.all({ after, user: user ?? null, limit }),
    ),
    /** Files of tasks that are to be written and are not: some of those behind this one, in order. */
    missingFiles: current((after?: Pick<TaskFile, 'task' | 'kind'>) =>
      missingFiles.all(after?.task ?? 0, after?.kind ?? ''),
    ),
    /** A file is written, or never will be. */
    fileSettled: ({ task, kind }: Pick<TaskFile, 'task' | 'kind'>): void => void forgetFile.run(task, kind),
    /** Tasks by status, as far as the read models are. */
    taskCounts(): Record<string, number> {
      flush()
      try {
        return Object.fromEntries(reading(() => counts.all()).map(({ status, tasks }) => [status, tasks]))
      } catch (error) {
        if (error instanceof Refusal) return {}
        throw error
      }
    },
    /** The only user of a token, also of one that has ended; undefined: it stands for all. */
    userOfPrincipal: current((id: string) => tokenUser.get(id) ?? undefined),
    tokens: current(() => tokenRows.all()),
    /** Whether there is a token of this user alone. */
    hasToken: current((user: string) => tokenOf.get(user) !== undefined),
    headPosition: () => log.head(),
    isCurrent,
  }
}
export type Queries = ReturnType<typeof createQueries>
