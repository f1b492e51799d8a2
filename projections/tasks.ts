// The tasks read model: one row a task, one row an item. Events are folded in memory; each task that changed is
// written once, however many events it had in between.
import type { Recorded } from '../src/contract/stored.ts'
import type { TaskEventData } from '../src/contract/task-events.ts'
import { isTaskStream, taskIdOf } from '../src/contract/task-stream.ts'
import { type CreateTaskBody, isTerminal, type TaskStatus } from '../src/contract/wire.ts'
import { contributed } from '../src/history/context.ts'
import { taskOf } from '../src/history/task-object.ts'
import { emptyTask, evolve, type TaskView } from '../src/history/task-view.ts'
import type { Projection } from './projector.ts'
import type { ReadStore } from './store.ts'
import { sumOf, sumOfRow } from './sums.ts'

/** A task being followed: `row` is the position that created it; then what of it is written already. */
type Followed = {
  view: TaskView
  row: number
  principal: string
  written: { status: TaskStatus | undefined; items: unknown[] }
}

/** Whether the task object shows its rollouts: 1, its own; 2, its subagents' too. */
const rolloutsShown = (request: CreateTaskBody): 0 | 1 | 2 => {
  if (!request.return_rollout) return 0
  return request.include_subagent_rollout ? 2 : 1
}

const followedAtMost = 20_000

export const tasksProjection = (
  store: ReadStore,
  readStream: (stream: string) => AsyncIterable<Recorded[]>,
  /** Writes down what was taken in so far. */
  flush: () => void,
): Projection => {
  const insert = store.prepare(
    `INSERT INTO tasks (position, id, user_id, session_id, status, subtask, deleted, fields, sum,
       principal, digest, request_id, secret_ref, inputs, contributed, rollouts, deadline, ended_at,
       completed_position, row_sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = store.prepare(
    `UPDATE tasks SET status = ?, deleted = ?, fields = ?, sum = ?, contributed = ?, deadline = ?, ended_at = ?,
       completed_position = ?, row_sum = ? WHERE position = ?`,
  )
  const putItem = store.prepare('INSERT OR REPLACE INTO items (task, n, body, sum) VALUES (?, ?, ?, ?)')
  const putStep = store.prepare('INSERT INTO steps (position, task) VALUES (?, ?)')
  const putRolloutFile = store.prepare('INSERT OR REPLACE INTO rollout_files (task, folder) VALUES (?, ?)')
  const count = store.prepare(
    `INSERT INTO task_counts (status, tasks) VALUES (?, ?)
     ON CONFLICT (status) DO UPDATE SET tasks = tasks + excluded.tasks`,
  )
  const putKey = store.prepare(
    'INSERT OR REPLACE INTO idempotency_keys (principal, key, task_id, digest, time) VALUES (?, ?, ?, ?, ?)',
  )
  const rowOf = store.prepare<[string], { position: number; status: TaskStatus; principal: string }>(
    'SELECT position, status, principal FROM tasks WHERE id = ?',
  )

  const followed = new Map<string, Followed>()
  /** Taken in and not written yet. */
  const changed = new Map<string, Followed>()
  let steps: [position: number, task: number][] = []
  let keys: [principal: string, key: string, taskId: string, digest: string, time: number][] = []
  const follow = (stream: string, task: Followed) => {
    if (followed.size >= followedAtMost) {
      const oldest = followed.keys().next().value
      if (oldest !== undefined) followed.delete(oldest)
    }
    followed.set(stream, task)
  }

  /** Folds a stream up to (not with) a revision; what it says until there is written already. */
  const load = async (missing: Map<string, number>): Promise<void> => {
    for (const [stream, revision] of missing) {
      const row = rowOf.get(taskIdOf(stream))
      if (row === undefined) throw new Error(`${stream} has no row`)
      const view = emptyTask()
      for await (const page of readStream(stream)) {
        for (const event of page) if (event.header.revision < revision) evolve(view, event)
      }
      const written = { status: row.status, items: view.output.slice() }
      follow(stream, { view, row: row.position, principal: row.principal, written })
    }
  }

  const writeItems = ({ view, written, row }: Followed) => {
    const { output } = view
    for (let n = 0; n < output.length; n++) {
      const item = output[n]
      if (item === undefined || written.items[n] === item) continue
      const body = JSON.stringify(item)
      putItem.run(row, n, body, sumOf(body))
      written.items[n] = item
    }
  }

  const write = (task: Followed, counts: Map<string, number>) => {
    const { view, written, row } = task
    const { created } = view
    if (created === undefined || view.status === 'absent') return
    const { output: _, ...fields } = taskOf(view)
    const status = view.status
    const ended = view.ended?.at ?? null
    const completedAt = status === 'completed' ? (view.ended?.position ?? null) : null
    const seen = status === 'completed' ? JSON.stringify(contributed(view)) : null
    const deleted = view.deleted ? 1 : 0
    const text = JSON.stringify(fields)
    const deadline = view.expiresAt ?? null
    const keys = {
      id: created.task_id,
      user_id: created.user_id,
      session_id: created.session_id,
      status,
      subtask: created.parent_task_id === undefined ? 0 : 1,
      deleted,
      principal: task.principal,
      digest: created.digest,
      request_id: created.request_id,
      ended_at: ended,
      rollouts: rolloutsShown(created.request),
    }
    const sum = sumOfRow(keys)
    if (written.status === undefined) {
      insert.run(
        row,
        keys.id,
        keys.user_id,
        keys.session_id,
        status,
        keys.subtask,
        deleted,
        text,
        sumOf(text),
        keys.principal,
        keys.digest,
        keys.request_id,
        created.secret_ref ?? null,
        JSON.stringify(created.input_ids),
        seen,
        keys.rollouts,
        deadline,
        ended,
        completedAt,
        sum,
      )
    } else update.run(status, deleted, text, sumOf(text), seen, deadline, ended, completedAt, sum, row)
    if (written.status !== status) {
      if (written.status !== undefined) counts.set(written.status, (counts.get(written.status) ?? 0) - 1)
      counts.set(status, (counts.get(status) ?? 0) + 1)
      written.status = status
      const folder = created.request.rollout_save_dir
      if (folder && isTerminal(status)) putRolloutFile.run(row, folder)
    }
    writeItems(task)
  }

  return {
    /** Tasks that are not in memory are folded from the log first, up to the batch. */
    prepare(events) {
      const begun = new Set<string>()
      let missing: Map<string, number> | undefined
      for (const { header } of events) {
        const { stream, revision } = header
        if (revision === 0) begun.add(stream)
        else if (
          isTaskStream(stream) &&
          !followed.has(stream) &&
          !begun.has(stream) &&
          !missing?.has(stream)
        ) {
          missing ??= new Map()
          missing.set(stream, revision)
        }
      }
      if (missing === undefined) return undefined
      flush() // their rows may be among what is not written yet
      return load(missing)
    },
    fold(events) {
      for (const event of events) {
        const { stream, revision, type, principal, time } = event.header
        if (!isTaskStream(stream)) continue
        if (revision === 0) {
          const written = { status: undefined, items: [] }
          follow(stream, { view: emptyTask(), row: event.position, principal, written })
        }
        const task = followed.get(stream)
        if (task === undefined) throw new Error(`${stream} is not followed`)
        evolve(task.view, event)
        changed.set(stream, task)
        if (type === 'AgentStepCompleted') steps.push([event.position, task.row])
        if (type === 'TaskCreated' || type === 'InputAccepted') {
          const { idempotency_key: key, digest = '' } = event.data as TaskEventData<'InputAccepted'>
          if (key !== undefined) keys.push([principal, key, taskIdOf(stream), digest, Date.parse(time)])
        }
      }
    },
    write() {
      const counts = new Map<string, number>()
      for (const task of changed.values()) write(task, counts)
      for (const [status, tasks] of counts) if (tasks !== 0) count.run(status, tasks)
      for (const key of keys) putKey.run(...key)
      for (const step of steps) putStep.run(...step)
      for (const [stream, { view }] of changed) if (isTerminal(view.status)) followed.delete(stream)
      changed.clear()
      keys = []
      steps = []
    },
    forget() {
      followed.clear()
      changed.clear()
      keys = []
      steps = []
    },
  }
}
