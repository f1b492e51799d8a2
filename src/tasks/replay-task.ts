// Whether the log still says of a task what the read models say.
import type { Replay } from '../contract/answers.ts'
import { ChangedMeanwhile } from '../contract/changed-meanwhile.ts'
import { taskEvents } from '../contract/decoders/task.ts'
import { taskStream } from '../contract/task-stream.ts'
import { nextTurn, type Pause } from '../fairness/slices.ts'
import type { ReadStream } from '../history/context.ts'
import { tell } from '../history/frames.ts'
import { taskOf } from '../history/task-object.ts'
import { emptyShown } from '../history/task-view.ts'
import type { Queries, TaskRow } from './queries.ts'
import { compared } from './replayed.ts'

/** How often a replay looks again before it calls a difference a mismatch. */
const patience = 100

/** Folds the stored events again, frames included, and compares the task with what the read models say. */
export const replayTask = async (
  read: ReadStream,
  queries: Queries,
  row: TaskRow,
  pause: Pause,
): Promise<Replay> => {
  const stream = taskStream(row.id)
  const view = emptyShown()
  for (let tries = 1; ; tries++) {
    for await (const page of read(stream, view.revision))
      for (const event of page) tell(view, taskEvents.read(event))
    queries.rowById(row.id) // what it reads is written first
    const found = await compared(queries.textsOf(row.position, pause), taskOf(view), pause).catch(error => {
      if (!(error instanceof ChangedMeanwhile) || tries >= patience) throw error
      return undefined
    })
    // While a task goes on, either side may be a moment ahead: both are read again until they meet.
    if (found === undefined || (found.mismatches.length > 0 && tries < patience)) {
      await nextTurn()
      continue
    }
    const { state_hash, mismatches } = found
    const matches = mismatches.length === 0
    return { task_id: row.id, events: view.revision + 1, state_hash, matches, mismatches }
  }
}
