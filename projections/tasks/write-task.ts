// Writes a task into its tables: its row, its changed items, and the files that its request asked for.
import { lengthOf } from '../../src/contract/length.ts'
import type { CreateTaskBody, TaskStatus } from '../../src/contract/wire.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import { contributed } from '../../src/history/context.ts'
import { taskOf } from '../../src/history/task-object.ts'
import { summaryOf } from '../../src/history/task-summary.ts'
import type { ShownTask } from '../../src/history/task-view.ts'
import type { ReadStore } from '../store.ts'
import { sumOf, sumOfRow } from '../sums.ts'
import type { Followed } from './followed-task.ts'
import { lifeOf } from './lives.ts'
import { isLongItem } from './long-items.ts'

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

/** The values of a task's row that change after its creation, apart from its status. */
const changingOf = (view: ShownTask, status: TaskStatus) => {
  const { output: _, ...fields } = taskOf(view)
  const text = JSON.stringify(fields)
  const summary = JSON.stringify(summaryOf(view))
  return {
    deleted: view.deleted ? 1 : 0,
    error: errorText(view),
    texts: [text, sumOf(text), summary, sumOf(summary)],
    contributed: status === 'completed' ? JSON.stringify(contributed(view)) : null,
    deadline: view.expiresAt ?? null,
    ended: view.ended,
  }
}

const createRowWriter = (store: ReadStore) => {
  const insert = store.prepare(
    `INSERT INTO tasks (position, id, user_id, session_id, status, agent, created_at, subtask, deleted, error, fields,
       sum, summary, summary_sum, principal, digest, request_id, has_key, secret_ref, inputs, past, contributed,
       rollouts, deadline, ended_at, ended_position, deleted_position, life, row_sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = store.prepare(
    `UPDATE tasks SET status = ?, deleted = ?, error = ?, fields = ?, sum = ?, summary = ?, summary_sum = ?,
       contributed = ?, deadline = ?, ended_at = ?, ended_position = ?, deleted_position = ?,
       life = ?, row_sum = ? WHERE position = ?`,
  )
  return ({ view, written, row, principal }: Followed, created: Created, status: TaskStatus): void => {
    const { deleted, error, texts, contributed, deadline, ended } = changingOf(view, status)
    const { task_id: id, user_id, session_id, agent, digest, request_id } = created
    const subtask = created.parent_task_id === undefined ? 0 : 1
    const rollouts = rolloutsShown(created.request)
    const keys = { id, user_id, session_id, status, agent, subtask, deleted, principal, digest, request_id }
    const endedAt = ended?.at ?? null
    const sum = sumOfRow({ ...keys, ended_at: endedAt, rollouts })
    const life = ended === undefined ? null : lifeOf(row, ended.position)
    // The deletion is the last event of a task.
    const places = [ended?.position ?? null, view.deleted ? view.position : null, life]
    const ends = [deadline, endedAt, ...places, sum]
    if (written.status !== undefined) {
      update.run(status, deleted, error, ...texts, contributed, ...ends, row)
      return
    }
    const named = [id, user_id, session_id, status, agent, view.createdAt, subtask, deleted, error]
    const hasKey = created.idempotency_key === undefined ? 0 : 1
    const asked = [principal, digest, request_id, hasKey, created.secret_ref ?? null]
    const inputs = JSON.stringify(created.input_ids)
    const past = created.forked_from === undefined ? null : JSON.stringify(created.forked_from.past)
    insert.run(row, ...named, ...texts, ...asked, inputs, past, contributed, rollouts, ...ends)
  }
}

export const createTaskWriter = (store: ReadStore) => {
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

  /** Writes a task, and adds to `counts` by how much the number of tasks of each status changes. */
  return (task: Followed, counts: Map<string, number>): void => {
    const { view, written, row } = task
    const { created, status } = view
    if (created === undefined || status === 'absent') return
    if (!task.onlyTalks) writeRow(task, created, status)
    if (written.status !== status) {
      if (written.status !== undefined) counts.set(written.status, (counts.get(written.status) ?? 0) - 1)
      counts.set(status, (counts.get(status) ?? 0) + 1)
      written.status = status
      const { rollout_save_dir: rollouts, log_dir: log } = created.request
      if (rollouts && isTerminal(status)) putFile.run(row, 'rollouts', rollouts)
      if (log && isTerminal(status)) putFile.run(row, 'log', log)
    }
    writeItems(task)
  }
}
