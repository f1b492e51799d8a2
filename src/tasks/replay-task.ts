// Checks that the read models, and the saved folds of the past, agree with the log about a task.

import { ChangedMeanwhile } from '../contract/changed-meanwhile.ts'
import { taskEvents } from '../contract/decoders/task.ts'
import type { Replay } from '../contract/responses.ts'
import { taskStream } from '../contract/task-stream.ts'
import type { Task } from '../contract/wire.ts'
import type { Pause } from '../fairness/slices.ts'
import type { ReadStream } from '../history/context.ts'
import { renderFrames } from '../history/frames.ts'
import { taskOf } from '../history/task-object.ts'
import { emptyShown, type FramedTask } from '../history/task-view.ts'
import { yieldToLoop } from '../platform/loop.ts'
import type { Queries, TaskRow } from './queries.ts'
import { compared } from './replayed.ts'

/** The most comparisons of one replay. A difference that the last comparison finds is a mismatch. */
const patience = 100

/** Folds the stored events again, frames included, and compares the task with the read models. */
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
      for (const event of page) renderFrames(view, taskEvents.read(event))
    queries.rowById(row.id) // this makes the projector write the task first
    const found = await compared(queries.textsOf(row.position, pause), taskOf(view), pause).catch(error => {
      if (!(error instanceof ChangedMeanwhile) || tries >= patience) throw error
      return undefined
    })
    // While a task runs, the log or the read models may be a moment ahead. Both are read again until they agree.
    if (found === undefined || (found.mismatches.length > 0 && tries < patience)) {
      await yieldToLoop()
      continue
    }
    const { state_hash, mismatches } = found
    const matches = mismatches.length === 0
    return { task_id: row.id, events: view.revision + 1, state_hash, matches, mismatches }
  }
}

/** A task as texts: the fields without the output, then each item. */
async function* textsOf({ output, ...fields }: Task): AsyncGenerator<string> {
  yield JSON.stringify(fields)
  for (const item of output) yield JSON.stringify(item)
}

/**
 * Folds the stored events from the first one up to the newest event of another view, frames included, and compares both
 * views. The other view may come from a saved fold.
 */
export const replayUntil = async (
  read: ReadStream,
  taskId: string,
  then: FramedTask,
  pause: Pause,
): Promise<Replay> => {
  const view = emptyShown()
  look: for await (const page of read(taskStream(taskId))) {
    for (const event of page) {
      if (event.header.revision > then.revision) break look
      renderFrames(view, taskEvents.read(event))
    }
  }
  const { state_hash, mismatches } = await compared(textsOf(taskOf(then)), taskOf(view), pause)
  const matches = mismatches.length === 0
  return { task_id: taskId, events: view.revision + 1, state_hash, matches, mismatches }
}
