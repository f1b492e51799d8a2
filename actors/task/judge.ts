// Checks every move against the chart before it is stored.
import type { TaskEvent } from '../../src/contract/task-events.ts'
import { canFollow, isMove, stateAfter, type TaskState } from '../../src/contract/task-state.ts'

/** Throws at a move that the chart does not allow: it was decided by a bug of ours. */
export const judge = (state: TaskState, events: readonly TaskEvent[]): void => {
  let before = state
  for (const { type, data } of events) {
    if (isMove(type) && !canFollow(before, type)) {
      throw new Error(`${type} was decided from ${before.at}, where it is no move`)
    }
    before = stateAfter(before, type, data)
  }
}
