// The tasks that the projection holds in memory: those with changes that are not written yet, and unfinished tasks that
// changed recently.

import type { Log, Recorded } from '../../src/contract/stored.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import { TransientMap } from '../../src/platform/transient.ts'
import type { ReadStore } from '../store.ts'
import { createTaskLoader, type Followed, newTask } from './followed-task.ts'
import { createTalkingRows } from './talking.ts'

/**
 * `mostInMemory`: the largest number of unfinished tasks that stay in memory after they are written. `mostAsleep`: that of tasks
 * whose code waits for timers and messages, which may last for weeks.
 */
export type Limits = { mostInMemory: number; mostAsleep: number }
export const defaultLimits: Limits = { mostInMemory: 20_000, mostAsleep: 500 }

const dropOldest = (tasks: TransientMap<string, Followed>, most: number): void => {
  for (const oldest of tasks.keys()) {
    if (tasks.size <= most) return
    tasks.delete(oldest)
  }
}

export const createFollowedTasks = (
  store: ReadStore,
  streamPages: Log['streamPages'],
  { mostInMemory, mostAsleep }: Limits,
) => {
  const load = createTaskLoader(store, streamPages)
  const talkingRows = createTalkingRows(store)
  // While a task has changes that no write has seen, it is in `changed`, and perhaps still in `talking` or `kept`. A
  // write that is not whole leaves out tasks whose new events only add text to items in progress. Such a task is then
  // in `talking`, and in the table `talking_tasks`. When all changes are written, an unfinished task may stay in
  // `kept` or `asleep`, the newest last. Every other task is only in the tables, and its next event loads it again from the log.
  const changed = new TransientMap<string, Followed>()
  const talking = new TransientMap<string, Followed>()
  const kept = new TransientMap<string, Followed>()
  const asleep = new TransientMap<string, Followed>()
  const atRest = (stream: string) => kept.get(stream) ?? asleep.get(stream)

  const taskOfEvent = (event: Recorded): Followed | undefined => {
    const { stream, revision } = event.header
    if (revision === 0) return newTask(event)
    const known = changed.get(stream) ?? talking.get(stream) ?? atRest(stream)
    return known ?? load(stream, ({ header }) => header.revision >= revision)
  }
  /** Whether a write leaves out the task. Only a whole write includes tasks whose new events only add text. */
  const waits = (task: Followed, isWhole: boolean) => task.onlyTalks && !isWhole

  return {
    isInMemory: (stream: string): boolean =>
      changed.has(stream) || talking.has(stream) || atRest(stream) !== undefined,
    /** The task of an event as it was before the event. Marks it as changed. Undefined: the task was erased. */
    change(event: Recorded): Followed | undefined {
      const task = taskOfEvent(event)
      if (task !== undefined) changed.set(event.header.stream, task)
      return task
    },
    /** The tasks to write. */
    *due(isWhole: boolean): Generator<Followed> {
      for (const task of changed.values()) if (!waits(task, isWhole)) yield task
      if (!isWhole) return
      for (const [stream, task] of talking) if (!changed.has(stream)) yield task
    },
    /** Notes in `talking_tasks` which tasks are left out. Called in the transaction that writes the other tasks. */
    list(isWhole: boolean): void {
      if (isWhole && talking.size > 0) talkingRows.clear()
      if (isWhole) return
      for (const [stream, task] of changed) {
        talkingRows.move(task.row, talking.has(stream), waits(task, isWhole))
      }
    },
    /** Called when all changes are written, or noted as left out. Keeps unfinished tasks, up to the limits. */
    wrote(isWhole: boolean): void {
      for (const [stream, task] of [...(isWhole ? talking : []), ...changed]) {
        for (const tasks of [kept, asleep, talking]) tasks.delete(stream)
        const { status, wakesAt } = task.view
        if (waits(task, isWhole)) talking.set(stream, task)
        else if (!isTerminal(status)) (wakesAt === undefined ? kept : asleep).set(stream, task)
        task.onlyTalks = true
      }
      changed.clear()
      dropOldest(kept, mostInMemory)
      dropOldest(asleep, mostAsleep)
    },
    isLeftOut: (stream: string): boolean => talking.has(stream),
    /** Loads the tasks that `talking_tasks` names, as they were at the checkpoint. Yields their streams. */
    *recall(checkpoint: number): Generator<string> {
      const isPast = ({ position }: Recorded) => position > checkpoint
      for (const stream of talkingRows.streams()) {
        if (changed.has(stream) || talking.has(stream)) continue
        const task = load(stream, isPast)
        if (task === undefined) continue
        talking.set(stream, task)
        yield stream
      }
    },
    forget(): void {
      changed.clear()
      talking.clear()
      kept.clear()
      asleep.clear()
    },
  }
}
