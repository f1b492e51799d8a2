// Makes the row of a task from the log, so that the task can be read while its row cannot be written.
import { taskEvents } from '../../src/contract/decoders/task.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { ErasedEvent, type Recorded } from '../../src/contract/stored.ts'
import { evolveShown, type ShownTask } from '../../src/history/task-view.ts'
import type { EventLog } from '../../src/log/log.ts'
import { newTask } from './followed-task.ts'
import type { TaskRow } from './rows.ts'
import { keysOf } from './write-task.ts'

/** A row with the task from which it was made. */
export type UnwrittenRow = TaskRow & { unwritten: ShownTask }
export type UnwrittenLog = Pick<EventLog, 'streamPages' | 'erasedBy'>

const rowOf = (events: Recorded[], first: Recorded): UnwrittenRow | undefined => {
  const task = newTask(first)
  for (const event of events) evolveShown(task.view, taskEvents.read(event))
  const keys = keysOf(task)
  return keys && { ...keys, unwritten: task.view }
}

/**
 * The row that the task of a stream will have; undefined: there is no such task, it was erased, or `isFor` returns false
 * for its owner. All of it is folded in one turn of the event loop. So a task whose events fill more than one page of the
 * log (1,000 events or about 1 MiB) throws ReadModelsBehind.
 */
export const unwrittenRow = (
  { streamPages, erasedBy }: UnwrittenLog,
  stream: string,
  isFor: (owner: string) => boolean,
): UnwrittenRow | undefined => {
  const pages = streamPages(stream)[Symbol.iterator]()
  const { value: events } = pages.next()
  const first: Recorded | undefined = events?.[0]
  if (events === undefined || first === undefined || !isFor(first.header.owner)) return undefined
  // The payloads of an erased task are destroyed later than the event that erases them is stored.
  if (erasedBy(first.position) !== undefined) return undefined
  if (!pages.next().done) throw new Refusal('ReadModelsBehind')
  try {
    return rowOf(events, first)
  } catch (error) {
    if (error instanceof ErasedEvent) return undefined
    throw error
  }
}
