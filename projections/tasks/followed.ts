// The tasks that the projection holds in memory: those with something that is not written yet, and the unfinished ones of late.
import { taskEvents } from '../../src/contract/decoders/task.ts'
import type { Log, Recorded } from '../../src/contract/stored.ts'
import { taskIdOf } from '../../src/contract/task-stream.ts'
import { isTerminal, type TaskStatus } from '../../src/contract/wire.ts'
import { emptyShown, evolveShown, type ShownTask } from '../../src/history/task-view.ts'
import type { ReadStore } from '../store.ts'

/** A task being followed: `row` is the position that created it; then what of it is written already. */
export type Followed = {
  view: ShownTask
  row: number
  principal: string
  written: { status: TaskStatus | undefined; items: unknown[] }
}

/** `keptAtMost`: how many unfinished tasks stay in memory once they are written. */
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
  // A task is in one of three places. While something of it is not written it is in `changed`, which nothing but
  // writing it leaves. Once written an unfinished one may stay in `kept`, the newest last. Every other one is in the
  // tables alone, as the log tells it up to here, and comes back from there with its next event.
  const changed = new Map<string, Followed>()
  const kept = new Map<string, Followed>()

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
  const taskOfEvent = ({ position, header: { stream, revision, principal } }: Recorded): Followed => {
    if (revision > 0) return changed.get(stream) ?? kept.get(stream) ?? load(stream, revision)
    return { view: emptyShown(), row: position, principal, written: { status: undefined, items: [] } }
  }

  return {
    /** The task of an event as it was before it, which the event changes. */
    change(event: Recorded): Followed {
      const task = taskOfEvent(event)
      changed.set(event.header.stream, task)
      return task
    },
    /** Those with something to be written. */
    changed: () => changed.values(),
    /** All of them are written: unfinished ones are kept, as far as there is room. */
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
