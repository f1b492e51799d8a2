// Makes the scope in which a task's tools run, and finds the secret values of the task's request.

import type { TaskEventData } from '../../src/contract/events/task-events.ts'
import { StorageFailure } from '../../src/contract/stored.ts'
import type { ToolScope } from '../../src/contract/tools.ts'
import type { TaskDeps } from './deps.ts'

type Created = TaskEventData<'TaskCreated'>

/** The secret values of a task's request; undefined when they are gone or cannot be read: then the task waits. */
export const secretsOf = (
  { secrets }: Pick<TaskDeps, 'secrets'>,
  { secret_ref }: Created,
): Record<string, unknown> | undefined => {
  if (secret_ref === undefined) return {}
  try {
    return secrets(secret_ref)
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error
    return undefined
  }
}

export const scopeOf = (deps: Pick<TaskDeps, 'secrets'>, created: Created): ToolScope => ({
  request: created.request,
  taskId: created.task_id,
  rootTaskId: created.root_task_id ?? created.task_id,
  depth: created.depth ?? 0,
  userId: created.user_id,
  sessionId: created.session_id,
  secrets: () => secretsOf(deps, created) ?? {},
})
