// Keeps the tasks of one connection that must be canceled when the caller disconnects, and then cancels them.

import type { Principal } from '../../contract/events/token-events.ts'
import { Refusal } from '../../contract/refusals.ts'
import type { Serving, TaskDoor } from '../doors.ts'

export const createHeldTasks = (
  { commands }: Pick<TaskDoor, 'commands'>,
  { stopping }: Pick<Serving, 'stopping'>,
  onFault: (error: unknown) => void,
) => {
  /** For each task id: the principal that created or answered the task, and the id of the request that did so. */
  const held = new Map<string, { principal: Principal; requestId: string }>()
  let isOver = false

  const cancel = (principal: Principal, taskId: string, requestId: string) => {
    if (stopping.aborted) return
    commands.cancel(principal, taskId, requestId, 'disconnected').catch(error => {
      if (!(error instanceof Refusal)) onFault(error)
    })
  }
  return {
    /** Cancels the task if the caller disconnects before the returned function is called. */
    hold(principal: Principal, taskId: string, requestId: string): () => void {
      // The caller may have disconnected while its task was being stored.
      if (isOver) cancel(principal, taskId, requestId)
      else held.set(taskId, { principal, requestId })
      return () => void held.delete(taskId)
    },
    /** Cancels the held tasks, because the caller has disconnected. */
    disconnected(): void {
      isOver = true
      for (const [taskId, { principal, requestId }] of held) cancel(principal, taskId, requestId)
    },
  }
}
