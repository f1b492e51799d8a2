// Writes a task into its tables: its row, its changed items, and the list of files that its request asked for.
import { lengthOf } from '../../src/contract/json/length.ts'
import type { CreateTaskBody, TaskStatus } from '../../src/contract/wire.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import { contributed } from '../../src/history/context.ts'
import { taskOf } from '../../src/history/task-object.ts'
import { summaryOf } from '../../src/history/task-summary.ts'
import type { ShownTask } from '../../src/history/task-view.ts'
import { rowInserter, rowUpdater } from '../row-writer.ts'
import type { ReadStore } from '../store.ts'
import { sumOf, sumOfRow } from '../sums.ts'
import type { Followed } from './followed-task.ts'
import { lifeOf } from './lives.ts'
import { isLongItem } from './long-items.ts'
import type { TaskRow } from './rows.ts'
import type { CountWriter } from './stored-counts.ts'

/** Which rollouts the task object shows. 0: none, 1: its own, 2: those of its subagents too. */
const rolloutsShown = (request: CreateTaskBody): 0 | 1 | 2 => {
  if (!request.return_rollout) return 0
  return request.include_subagent_rollout ? 2 : 1
}

/** How many characters of an error message, from its beginning, can be searched. */
const searchedAtMost = 2000

/** The searchable error of a task: its code and its message, in lower case. */
const errorText = ({ error }: ShownTask): string | null =>
  error === undefined ? null : `${error.code} ${error.message.slice(0, searchedAtMost)}`.toLowerCase()

type Created = NonNullable<ShownTask['created']>

const subtaskOf = ({ parent_task_id }: Created): number => (parent_task_id === undefined ? 0 : 1)

/** The columns that the creation of a task gives. They never change. */
const fixedOf = ({ view, row, principal }: Followed, created: Created) => ({
  position: row,
  id: created.task_id,
  user_id: created.user_id,
  session_id: created.session_id,
  agent: created.agent,
  created_at: view.createdAt,
  subtask: subtaskOf(created),
  principal,
  digest: created.digest,
  request_id: created.request_id,
  has_key: created.idempotency_key === undefined ? 0 : 1,
  secret_ref: created.secret_ref ?? null,
  inputs: JSON.stringify(created.input_ids),
  past: created.forked_from === undefined ? null : JSON.stringify(created.forked_from.past),
  rollouts: rolloutsShown(created.request),
})

/** The columns that change after the creation. */
const changingOf = ({ view, row }: Followed, status: TaskStatus) => {
  const { output: _, ...shown } = taskOf(view)
  const fields = JSON.stringify(shown)
  const summary = JSON.stringify(summaryOf(view))
  const { ended } = view
  return {
    status,
    deleted: view.deleted ? 1 : 0,
    error: errorText(view),
    fields,
    sum: sumOf(fields),
    summary,
    summary_sum: sumOf(summary),
    contributed: status === 'completed' ? JSON.stringify(contributed(view)) : null,
    seen_until: view.seenUntil ?? null,
    deadline: view.expiresAt ?? null,
    wakes_at: wakesAt(view),
    ended_at: ended?.at ?? null,
    ended_position: ended?.position ?? null,
    deleted_position: view.deleted ? view.position : null, // the deletion is the last event of a task
    life: ended === undefined ? null : lifeOf(row, ended.position),
  }
}

/** A time that never comes, in Unix milliseconds. */
const never = 8.64e15

/** When a timer ends the wait of an agent's code; null: its task does not wait for it. */
const wakesAt = ({ wakesAt: at, status }: ShownTask): number | null =>
  at === undefined || isTerminal(status as TaskStatus) ? null : Math.min(at, never)

/** The columns by which a task is found; undefined: the task does not exist. */
export const keysOf = (task: Followed): TaskRow | undefined => {
  const { created, status, deleted, ended } = task.view
  if (created === undefined || status === 'absent') return undefined
  return {
    ...fixedOf(task, created),
    status,
    deleted: deleted ? 1 : 0,
    ended_at: ended?.at ?? null,
  }
}

const createRowWriter = (store: ReadStore) => {
  const insert = rowInserter(store, 'tasks')
  const update = rowUpdater(store, 'tasks', 'position')
  return (task: Followed, created: Created, status: TaskStatus): void => {
    const fixed = fixedOf(task, created)
    const changing = changingOf(task, status)
    const row_sum = sumOfRow(fixed, changing)
    if (task.written.status === undefined) insert(fixed, changing, { row_sum })
    else update(task.row, changing, { row_sum })
  }
}

export const createTaskWriter = (store: ReadStore, counts: CountWriter) => {
  const writeRow = createRowWriter(store)
  const putItem = store.prepare(
    'INSERT OR REPLACE INTO items (task, n, body, sum, length) VALUES (?, ?, ?, ?, ?)',
  )
  const putFile = store.prepare('INSERT OR REPLACE INTO task_files (task, kind, folder) VALUES (?, ?, ?)')

  const writeItems = ({ view, written, row }: Followed): void => {
    const { output } = view
    for (let n = 0; n < output.length; n++) {
      const item = output[n]
      if (item === undefined || written.items[n] === item) continue
      if (isLongItem(item)) putItem.run(row, n, null, 0, lengthOf(item))
      else {
        const body = JSON.stringify(item)
        putItem.run(row, n, body, sumOf(body), null)
      }
      written.items[n] = item
    }
  }

  const writeCounts = ({ view, written }: Followed, created: Created, status: TaskStatus): void => {
    const deleted = view.deleted ? 1 : 0
    if (written.status === status && written.deleted === deleted) return
    const { user_id, agent } = created
    const key = { user_id, agent, subtask: subtaskOf(created), deleted, status }
    counts.move(written.status && { ...key, status: written.status, deleted: written.deleted }, key)
    written.deleted = deleted
  }

  return (task: Followed): void => {
    const { view, written, row } = task
    const { created, status } = view
    if (created === undefined || status === 'absent') return
    if (!task.onlyTalks) writeRow(task, created, status)
    writeCounts(task, created, status)
    if (written.status !== status) {
      written.status = status
      const { rollout_save_dir: rollouts, log_dir: log } = created.request
      if (rollouts && isTerminal(status)) putFile.run(row, 'rollouts', rollouts)
      if (log && isTerminal(status)) putFile.run(row, 'log', log)
    }
    writeItems(task)
  }
}
