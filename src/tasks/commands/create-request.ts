// A request to create a task, and its result.
import type { Principal } from '../../contract/events/token-events.ts'
import type { CreateTaskBody } from '../../contract/wire.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import type { TaskRow } from '../queries.ts'
import type { TaskRequest } from '../request.ts'

export type CreateRequest = {
  principal: Principal
  request: TaskRequest
  body: CreateTaskBody
  /** The envelope id of the answer, which the task keeps. */
  envelopeId: string
  idempotencyKey: string | undefined
  isRetry: boolean
  /** Called with the stream of the new task just before its creation, so that a subscriber misses nothing. */
  onNew?: (stream: string) => void
}
/** `answered`: no new task was created. The request had answers for a task that waits for them or has them. */
export type Created =
  | { taskId: string; view: DecidedTask; answered?: { callIds: string[]; again: boolean } }
  | { replay: TaskRow }
