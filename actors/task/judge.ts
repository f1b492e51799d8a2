// Checks every move against the chart before it is stored.
import type { TaskEvent } from '../../src/contract/task-events.ts'
import { canFollow, isMove, stateAfter, type TaskState } from '../../src/contract/task-state.ts'

/** Throws at a move that the chart does not allow, which is a bug of the server. */
export const judge = (state: TaskState, events: readonly TaskEvent[]): void => {
  let before = state
  for (const { type, data } of events) {
    if (isMove(type) && !canFollow(before, type)) {
      const where = `in the state ${before.at}, where the chart forbids it`
      throw new Error(`a bug of the server: it decided ${type} ${where}`)
    }
    before = stateAfter(before, type, data)
  }
}
