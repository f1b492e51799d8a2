// Long items of tasks. The tables do not hold their text, since writing it would hold up the server. When somebody
// reads such an item, its text is made again from the events of the task.
import { ChangedMeanwhile } from '../../src/contract/changed-meanwhile.ts'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import { isLongerThan } from '../../src/contract/json/length.ts'
import type { Log } from '../../src/contract/stored.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import type { OutputItem } from '../../src/contract/wire.ts'
import type { Pause } from '../../src/fairness/slices.ts'
import { emptyFramed, evolveFramed, type FramedTask } from '../../src/history/task-view.ts'

/** An item with more characters than this, roughly, is long. */
const shortAtMost = 256 * 1024

/** Whether an item is long. The text of an item in progress is in the tables, because it changes. */
export const isLongItem = (item: OutputItem): boolean =>
  item.status !== 'in_progress' && isLongerThan(item, shortAtMost)

export type LongItems = (n: number) => Promise<OutputItem>

/**
 * Makes a reader of the long items of one task. The events of the task are folded once, when the first item is read.
 */
export const longItemsOf = (
  readStream: Log['readStream'],
  taskId: string | undefined,
  pause: Pause,
): LongItems => {
  const fold = async (): Promise<FramedTask> => {
    const view = emptyFramed()
    for await (const page of readStream(taskStream(taskId ?? ''))) {
      for (const event of page) evolveFramed(view, taskEvents.read(event))
      await pause()
    }
    return view
  }
  let folded: Promise<FramedTask> | undefined
  return async n => {
    folded ??= fold()
    const item = (await folded).output[n]
    if (item === undefined) throw new ChangedMeanwhile('the read models were rebuilt while a task was sent')
    return item
  }
}
