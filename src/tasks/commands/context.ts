// Decides which inputs and items a task sees at its start.
import type { Place } from '../../../actors/task/waiting-line.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { ContextReference } from '../../history/context.ts'
import type { Queries } from '../queries.ts'

/** A task sees the completed tasks of its session, then its own inputs. `isAlone`: it sees only its own inputs. */
export const contextOf = (
  queries: Queries,
  place: Place,
  inputIds: string[],
  isAlone: boolean,
): ContextReference[] => [
  ...(isAlone ? [] : queries.sessionContext(place.userId, place.sessionId)),
  { stream: taskStream(place.taskId), items: inputIds },
]
