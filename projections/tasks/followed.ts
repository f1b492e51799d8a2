// The tasks that the projection holds in memory: those with changes that are not written yet, and unfinished tasks that
// changed recently.
import { taskEvents } from '../../src/contract/decoders/task.ts'
import type { Log, Recorded } from '../../src/contract/stored.ts'
import { taskIdOf } from '../../src/contract/task-stream.ts'
import { isTerminal, type TaskStatus } from '../../src/contract/wire.ts'
import { emptyShown, evolveShown, type ShownTask } from '../../src/history/task-view.ts'
import type { ReadStore } from '../store.ts'

/**
 * A task in memory. `row` is the position of the event that created the task, and the key of its row. `written` is what
 * the tables hold of the task already.
 */
export type Followed = {
  view: ShownTask
  row: number
  principal: string
  written: { status: TaskStatus | undefined; items: unknown[] }
}

/** `keptAtMost`: the most unfinished tasks that stay in memory after they are written. */
export type Limits = { keptAtMost: number }
export const usualLimits: Limits = { keptAtMost: 20_000 }

export const createFollowedTasks = (
  store: ReadStore,
  streamPages: Log['streamPages'],
  { keptAtMost }: Limits,
) => {
  const rowOf = store.prepare<[string], { position: number; status: TaskStatus; principal: string }>(
    'SELECT position, status, principal FROM tasks WHERE id = ?',
  )
  // A task is in one of three places. While it has unwritten changes, it is in `changed`. When they are written, an
  // unfinished task may stay in `kept`, the newest last. Every other task is only in the tables, and its next event
  // loads it again from the log.
  const changed = new Map<string, Followed>()
  const kept = new Map<string, Followed>()

  /** Loads a task whose events before this revision are all written. */
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
  const taskOfEvent = ({ position, header: { stream, revision, principal } }: Recorded): Followed => {
    if (revision > 0) return changed.get(stream) ?? kept.get(stream) ?? load(stream, revision)
    return { view: emptyShown(), row: position, principal, written: { status: undefined, items: [] } }
  }

  return {
    /** Returns the task of an event as it was before the event, and marks it as changed. */
    change(event: Recorded): Followed {
      const task = taskOfEvent(event)
      changed.set(event.header.stream, task)
      return task
    },
    /** The tasks with unwritten changes. */
    changed: () => changed.values(),
    /** Called when all changes are written. Keeps unfinished tasks, up to `keptAtMost`. */
    wrote(): void {
      for (const [stream, task] of changed) {
        kept.delete(stream)
        if (!isTerminal(task.view.status)) kept.set(stream, task)
      }
      changed.clear()
      for (const oldest of kept.keys()) {
        if (kept.size <= keptAtMost) break
        kept.delete(oldest)
      }
    },
    forget(): void {
      changed.clear()
      kept.clear()
    },
  }
}
