// What a task sees of the past when it starts.
import type { Place } from '../../../actors/task/waiting-line.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { ContextReference } from '../../history/context.ts'
import type { Queries } from '../queries.ts'

/** A task sees the completed ones of its session, then its own inputs; `isAlone`: its own inputs only. */
export const contextOf = (
  queries: Queries,
  place: Place,
  inputIds: string[],
  isAlone: boolean,
): ContextReference[] => [
  ...(isAlone ? [] : queries.sessionContext(place.userId, place.sessionId)),
  { stream: taskStream(place.taskId), items: inputIds },
]
