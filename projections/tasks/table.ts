// The tasks read model: one row a task, one row an item. Events are folded in memory; each task that changed is
// written once, however many events it had in between.
import { taskEvents } from '../../src/contract/decoders/task.ts'
import type { Log, Recorded } from '../../src/contract/stored.ts'
import { isTaskStream, taskIdOf } from '../../src/contract/task-stream.ts'
import { type CreateTaskBody, isTerminal, type TaskStatus } from '../../src/contract/wire.ts'
import { contributed } from '../../src/history/context.ts'
import { taskOf } from '../../src/history/task-object.ts'
import { summaryOf } from '../../src/history/task-summary.ts'
import { emptyShown, evolveShown, type ShownTask } from '../../src/history/task-view.ts'
import type { Projection } from '../projector.ts'
import type { ReadStore } from '../store.ts'
import { sumOf, sumOfRow } from '../sums.ts'

/** A task being followed: `row` is the position that created it; then what of it is written already. */
type Followed = {
  view: ShownTask
  row: number
  principal: string
  written: { status: TaskStatus | undefined; items: unknown[] }
}

/** Whether the task object shows its rollouts: 1, its own; 2, its subagents' too. */
const rolloutsShown = (request: CreateTaskBody): 0 | 1 | 2 => {
  if (!request.return_rollout) return 0
  return request.include_subagent_rollout ? 2 : 1
}

/** Of the text by which a failed task is searched for, characters. */
const searchedAtMost = 2000

/** The error of a task as it is searched: its code and its message, in lower case. */
const errorText = ({ error }: ShownTask): string | null =>
  error === undefined ? null : `${error.code} ${error.message.slice(0, searchedAtMost)}`.toLowerCase()

/** `keptAtMost`: how many unfinished tasks stay in memory once they are written. */
export type Limits = { keptAtMost: number }
export const usualLimits: Limits = { keptAtMost: 20_000 }

export const tasksProjection = (
  store: ReadStore,
  streamPages: Log['streamPages'],
  { keptAtMost }: Limits,
): Projection => {
  const insert = store.prepare(
    `INSERT INTO tasks (position, id, user_id, session_id, status, agent, created_at, subtask, deleted, error, fields,
       sum, summary, summary_sum, principal, digest, request_id, has_key, secret_ref, inputs, contributed, rollouts,
       deadline, ended_at, completed_position, row_sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = store.prepare(
    `UPDATE tasks SET status = ?, deleted = ?, error = ?, fields = ?, sum = ?, summary = ?, summary_sum = ?,
       contributed = ?, deadline = ?, ended_at = ?, completed_position = ?, row_sum = ? WHERE position = ?`,
  )
  const putItem = store.prepare('INSERT OR REPLACE INTO items (task, n, body, sum) VALUES (?, ?, ?, ?)')
  const putStep = store.prepare('INSERT INTO steps (position, task) VALUES (?, ?)')
  const putFile = store.prepare('INSERT OR REPLACE INTO task_files (task, kind, folder) VALUES (?, ?, ?)')
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

  // A task is in one of three places. While something of it is not written it is in `changed`, which nothing but
  // writing it leaves. Once written an unfinished one may stay in `kept`, the newest last. Every other one is in the
  // tables alone, as the log tells it up to here, and comes back from there with its next event.
  const changed = new Map<string, Followed>()
  const kept = new Map<string, Followed>()
  let steps: [position: number, task: number][] = []
  let keys: [principal: string, key: string, taskId: string, digest: string, time: number][] = []

  /** A task whose events before this revision are all written. */
  const load = (stream: string, revision: number): Followed => {
    const row = rowOf.get(taskIdOf(stream))
    const view = emptyShown()
    for (const page of streamPages(stream)) {
      for (const event of page)
        if (event.header.revision < revision) evolveShown(view, taskEvents.read(event))
    }
    if (row === undefined || row.status !== view.status) {
      throw new Error(`the row of ${stream} says ${row?.status ?? 'nothing'} before revision ${revision}`)
    }
    const written = { status: row.status, items: view.output.slice() }
    return { view, row: row.position, principal: row.principal, written }
  }

  /** The task of an event, as it was before it. */
  const taskOfEvent = ({ position, header: { stream, revision, principal } }: Recorded): Followed => {
    if (revision > 0) return changed.get(stream) ?? kept.get(stream) ?? load(stream, revision)
    return { view: emptyShown(), row: position, principal, written: { status: undefined, items: [] } }
  }

  const keepUnfinished = () => {
    for (const [stream, task] of changed) {
      kept.delete(stream)
      if (!isTerminal(task.view.status)) kept.set(stream, task)
    }
    changed.clear()
    for (const oldest of kept.keys()) {
      if (kept.size <= keptAtMost) break
      kept.delete(oldest)
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
    const summary = JSON.stringify(summaryOf(view))
    const error = errorText(view)
    const deadline = view.expiresAt ?? null
    const keys = {
      id: created.task_id,
      user_id: created.user_id,
      session_id: created.session_id,
      status,
      agent: created.agent,
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
        keys.agent,
        view.createdAt,
        keys.subtask,
        deleted,
        error,
        text,
        sumOf(text),
        summary,
        sumOf(summary),
        keys.principal,
        keys.digest,
        keys.request_id,
        created.idempotency_key === undefined ? 0 : 1,
        created.secret_ref ?? null,
        JSON.stringify(created.input_ids),
        seen,
        keys.rollouts,
        deadline,
        ended,
        completedAt,
        sum,
      )
    } else {
      const texts = [text, sumOf(text), summary, sumOf(summary)]
      update.run(status, deleted, error, ...texts, seen, deadline, ended, completedAt, sum, row)
    }
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

  return {
    fold(events) {
      for (const stored of events) {
        if (!isTaskStream(stored.header.stream)) continue
        const event = taskEvents.read(stored)
        const { stream, principal, time } = event.header
        const task = taskOfEvent(event)
        changed.set(stream, task)
        evolveShown(task.view, event)
        if (event.type === 'AgentStepCompleted') steps.push([event.position, task.row])
        if (event.type === 'TaskCreated' || event.type === 'InputAccepted') {
          const { idempotency_key: key, digest = '' } = event.data
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
      keepUnfinished()
      keys = []
      steps = []
    },
    forget() {
      changed.clear()
      kept.clear()
      keys = []
      steps = []
    },
  }
}
