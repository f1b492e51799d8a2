// Checks the decided events of a task against its chart before they are stored.

import { canFollow, isMove, stateAfter, type TaskState } from '../../../src/contract/charts/task-state.ts'
import type { TaskEvent } from '../../../src/contract/events/task-events.ts'
import { mustFollow } from '../../runtime/must-follow.ts'

/** An event that is no move may happen in every state. */
const follow = (state: TaskState, type: string, data: unknown): TaskState | undefined =>
  isMove(type) && !canFollow(state, type) ? undefined : stateAfter(state, type, data)

/** Throws at a move that the chart forbids, which is a bug of the server. */
export const judge = (state: TaskState, events: readonly TaskEvent[]): void =>
  mustFollow(state, events, follow, ({ at }) => at)
