// Gives a task the place in the scheduler that fits its status: the task works, waits, or needs no place.
import { isTerminal } from '../../src/contract/wire.ts'
import type { DecidedTask } from '../../src/history/task-view.ts'
import type { TaskDeps } from './deps.ts'

/**
 * Reports the status of a task to the scheduler, and deletes the secrets of a task that has ended. Does nothing for a
 * subagent's task: it takes no place, and its secrets are those of its caller.
 */
export const place = (
  { scheduler, forgetSecrets }: Pick<TaskDeps, 'scheduler' | 'forgetSecrets'>,
  { created, status }: DecidedTask,
): void => {
  if (created === undefined || created.parent_task_id !== undefined) return
  const mine = { taskId: created.task_id, userId: created.user_id, sessionId: created.session_id }
  if (status === 'working') scheduler.take(mine)
  else if (status === 'queued') scheduler.fill(mine, false)
  else scheduler.release(created.task_id)
  if (isTerminal(status) && created.secret_ref !== undefined) forgetSecrets(created.secret_ref)
}
