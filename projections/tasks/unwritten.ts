// Makes the row of a task from the log, so that the task can be read while its row cannot be written.
import { taskEvents } from '../../src/contract/decoders/task.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { ErasedEvent, type Log } from '../../src/contract/stored.ts'
import { evolveShown, type ShownTask } from '../../src/history/task-view.ts'
import { newTask } from './followed-task.ts'
import type { TaskRow } from './rows.ts'
import { columnsOf } from './write-task.ts'

/** A row with the task from which it was made. */
export type UnwrittenRow = TaskRow & { unwritten: ShownTask }

/** The most events of a task that are folded in one turn of the event loop. */
const eventsAtMost = 1000

const fold = (stream: string, streamPages: Log['streamPages']): UnwrittenRow | undefined => {
  let task: ReturnType<typeof newTask> | undefined
  for (const page of streamPages(stream)) {
    for (const event of page) {
      task ??= newTask(event)
      evolveShown(task.view, taskEvents.read(event))
    }
  }
  return task && { ...columnsOf(task), unwritten: task.view }
}

/**
 * The row that the task of a stream will have; undefined: there is no such task, or it was erased. Throws
 * ReadModelsBehind for a task with too many events.
 */
export const unwrittenRow = (
  { revisionOf, streamPages }: Pick<Log, 'revisionOf' | 'streamPages'>,
  stream: string,
): UnwrittenRow | undefined => {
  if (revisionOf(stream) >= eventsAtMost) throw new Refusal('ReadModelsBehind')
  try {
    return fold(stream, streamPages)
  } catch (error) {
    if (error instanceof ErasedEvent) return undefined
    throw error
  }
}
