// The tasks of one connection that are canceled when its caller goes.
import { Refusal } from '../../contract/refusals.ts'
import type { Principal } from '../../contract/token-events.ts'
import type { Serving, TaskDoor } from '../doors.ts'

export const createHeldTasks = (
  { commands }: Pick<TaskDoor, 'commands'>,
  { stopping }: Pick<Serving, 'stopping'>,
  onFault: (error: unknown) => void,
) => {
  /** By task id: the principal that asked for the task, and in which request. */
  const held = new Map<string, { principal: Principal; requestId: string }>()
  let hasLeft = false

  const cancel = (principal: Principal, taskId: string, requestId: string) => {
    if (stopping.aborted) return
    commands.cancel(principal, taskId, requestId, 'disconnected').catch(error => {
      if (!(error instanceof Refusal)) onFault(error)
    })
  }
  return {
    /** Holds a task until the returned function is called. */
    hold(principal: Principal, taskId: string, requestId: string): () => void {
      // The caller may have gone while its task was being stored.
      if (hasLeft) cancel(principal, taskId, requestId)
      else held.set(taskId, { principal, requestId })
      return () => void held.delete(taskId)
    },
    /** Cancels the held tasks, because the caller has gone. */
    leave(): void {
      hasLeft = true
      for (const [taskId, { principal, requestId }] of held) cancel(principal, taskId, requestId)
    },
  }
}
