// Replays one task from its stored events, and compares it with the read models.
import type { Difference } from '../../projections/compare.ts'
import { taskEvents } from '../contract/decoders/task.ts'
import { DamagedEvent, ErasedEvent } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import { renderFrames } from '../history/frames.ts'
import { taskOf } from '../history/task-object.ts'
import { emptyShown } from '../history/task-view.ts'
import type { ReadOnlyLog } from '../log/read-only.ts'
import { filesOf } from '../platform/data-folder.ts'
import { digestOfBody } from '../platform/digest.ts'
import { compareTask } from './compared.ts'
import { NoAnswer } from './exit.ts'
import { differenceText, type Replaying } from './replayed.ts'
import { plural } from './terminal.ts'

const foldTask = async (log: ReadOnlyLog, taskId: string) => {
  const view = emptyShown()
  let frames = 0
  for await (const page of log.readStream(taskStream(taskId))) {
    for (const event of page) {
      try {
        frames += renderFrames(view, taskEvents.read(event)).length
      } catch (error) {
        if (error instanceof DamagedEvent) throw error
        if (error instanceof ErasedEvent)
          throw new NoAnswer(
            `the task ${taskId} was erased: the event at position ${error.erasedBy} says why`,
          )
        throw new DamagedEvent(event.position, `cannot be read: ${(error as Error).message}`)
      }
    }
  }
  const state_hash = digestOfBody(taskOf(view))
  return { events: view.revision + 1, frames, position: view.position, state_hash }
}

/** Rejects with NoAnswer if the task is unknown, erased or unlike its rows, and with Unfit or DamagedEvent. */
export const replayTask = async (
  { config, log, printer, json }: Replaying,
  taskId: string,
): Promise<void> => {
  if (log.revisionOf(taskStream(taskId)) < 0) {
    throw new NoAnswer(`no task has the id ${taskId} in ${config.dataDir}`)
  }
  const folded = await foldTask(log, taskId)
  const mismatches: Difference[] = []
  const file = filesOf(config.dataDir).readModels
  const onDifference = (difference: Difference) => void mismatches.push(difference)
  const compared_at = (await compareTask({ log, file, onDifference }, taskId)) ?? null
  const matches = mismatches.length === 0
  if (json) {
    await printer.rows([JSON.stringify({ task_id: taskId, ...folded, compared_at, matches, mismatches })])
  } else {
    const verdict =
      compared_at === null
        ? ['the read models do not hold this task, so there is nothing to compare']
        : matches
          ? ['the read models say the same']
          : mismatches.map(difference => printer.paint(differenceText(difference), 'red'))
    const counts = `${plural(folded.events, 'event')}, ${plural(folded.frames, 'frame')}`
    await printer.rows([`${counts}, state ${folded.state_hash}`, ...verdict])
  }
  if (!matches) throw new NoAnswer(plural(mismatches.length, 'mismatch', 'mismatches'))
}
