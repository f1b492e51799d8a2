// A task talks while its new events only add text to items in progress.
import type { TaskEvent } from '../../src/contract/events/task-events.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import type { ReadStore } from '../store.ts'

/**
 * Whether an event only begins an item or adds text to it, so that the row of the task and its other items do not
 * change.
 */
export const isTalk = ({ type }: Pick<TaskEvent, 'type'>): boolean =>
  type === 'ItemDelta' || type === 'EffectSaid'

/** The table of tasks whose items in the read models lack text that was stored before the checkpoint. */
export const createTalkingRows = (store: ReadStore) => {
  const put = store.prepare<[number]>('INSERT INTO talking_tasks (task) VALUES (?)')
  const remove = store.prepare<[number]>('DELETE FROM talking_tasks WHERE task = ?')
  const clear = store.prepare<[]>('DELETE FROM talking_tasks')
  const ids = store
    .prepare<[], string>('SELECT id FROM talking_tasks JOIN tasks ON position = task ORDER BY task')
    .pluck()
  return {
    /** Adds or removes a task, so that it is in the table if and only if `mustBe`. */
    move(task: number, isThere: boolean, mustBe: boolean): void {
      if (isThere && !mustBe) remove.run(task)
      if (!isThere && mustBe) put.run(task)
    },
    clear: (): void => void clear.run(),
    streams: (): string[] => ids.all().map(taskStream),
  }
}
