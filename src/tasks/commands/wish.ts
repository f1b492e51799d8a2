// A wish to create a task, and what came of it.
import type { Principal } from '../../contract/token-events.ts'
import type { CreateTaskBody } from '../../contract/wire.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import type { TaskRow } from '../queries.ts'
import type { TaskRequest } from '../request.ts'

export type CreateWish = {
  principal: Principal
  request: TaskRequest
  body: CreateTaskBody
  /** The envelope id of the answer, kept with the task. */
  envelopeId: string
  idempotencyKey: string | undefined
  isRetry: boolean
  /** Called with the new task's stream just before it is created, so that nothing of it is missed. */
  onNew?: (stream: string) => void
}
/** `answered`: no new task; it brought answers to calls of one that waits, or that has them already. */
export type Created =
  | { taskId: string; view: DecidedTask; answered?: { callIds: string[]; again: boolean } }
  | { replay: TaskRow }
