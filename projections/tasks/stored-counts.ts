// Stores the numbers of tasks by user, agent and status, so that a count reads a few rows and not all tasks. Rows with no
// user count the tasks of all users.
import type { ReadStore } from '../store.ts'

/** What a task is counted by. `subtask` and `deleted` are columns of its row. */
export type CountKey = { user_id: string; agent: string; subtask: number; deleted: number; status: string }

/** The name under which the tasks of all users are counted. No user has it. */
const allUsers = ''

export const createCountWriter = (store: ReadStore) => {
  const put = store.prepare(
    `INSERT INTO task_counts (user_id, agent, subtask, deleted, status, tasks) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET tasks = tasks + excluded.tasks`,
  )
  let due = new Map<string, { key: CountKey; tasks: number }>()
  const note = (key: CountKey, tasks: number): void => {
    const { user_id, agent, subtask, deleted, status } = key
    const name = JSON.stringify([user_id, agent, subtask, deleted, status])
    const known = due.get(name)
    if (known === undefined) due.set(name, { key, tasks })
    else known.tasks += tasks
  }
  return {
    /** Counts a task in one place less, if it was counted before, and in another one more, if it still counts. */
    move(from: CountKey | undefined, to: CountKey | undefined): void {
      for (const user_id of [undefined, allUsers]) {
        if (from !== undefined) note({ ...from, ...(user_id === undefined ? {} : { user_id }) }, -1)
        if (to !== undefined) note({ ...to, ...(user_id === undefined ? {} : { user_id }) }, 1)
      }
    },
    write(): void {
      for (const { key, tasks } of due.values())
        if (tasks !== 0) put.run(key.user_id, key.agent, key.subtask, key.deleted, key.status, tasks)
      due = new Map()
    },
    forget(): void {
      due = new Map()
    },
  }
}
export type CountWriter = ReturnType<typeof createCountWriter>

export const createStoredCounts = (store: ReadStore) => {
  const rows = store.prepare<[string], Omit<CountKey, 'user_id'> & { tasks: number }>(
    `SELECT agent, subtask, deleted, status, tasks FROM task_counts WHERE user_id = ? AND tasks <> 0`,
  )
  /** The numbers of tasks of a user, or of all users, which are few rows. */
  return (user: string | undefined) => (user === allUsers ? [] : rows.all(user ?? allUsers))
}
export type StoredCounts = ReturnType<typeof createStoredCounts>
