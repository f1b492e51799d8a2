// Decides which inputs and items a task sees at its start.
import type { Place } from '../../../actors/task/places/waiting-line.ts'
import type { StartContext } from '../../contract/commands/commands.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { Queries } from '../queries.ts'

/** A task sees the completed tasks of its session, then its own inputs. `isAlone`: it sees only its own inputs. */
export const contextOf = (
  queries: Queries,
  place: Place,
  inputIds: string[],
  isAlone: boolean,
): StartContext => {
  const own = { stream: taskStream(place.taskId), items: inputIds }
  if (isAlone) return { context: [own] }
  const { context, ...earlier } = queries.sessionContext(place.userId, place.sessionId)
  return { context: [...context, own], ...earlier }
}
