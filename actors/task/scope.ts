// Makes the scope in which a task's tools run, and finds the secret values of the task's request.
import type { TaskEventData } from '../../src/contract/task-events.ts'
import type { ToolScope } from '../../src/contract/tools.ts'
import type { TaskDeps } from './deps.ts'

type Created = TaskEventData<'TaskCreated'>

/** The secret values of a task's request; undefined when they are gone. */
export const secretsOf = (
  { secrets }: Pick<TaskDeps, 'secrets'>,
  { secret_ref }: Created,
): Record<string, unknown> | undefined => (secret_ref === undefined ? {} : secrets(secret_ref))

export const scopeOf = (deps: Pick<TaskDeps, 'secrets'>, created: Created): ToolScope => ({
  request: created.request,
  taskId: created.task_id,
  rootTaskId: created.root_task_id ?? created.task_id,
  depth: created.depth ?? 0,
  userId: created.user_id,
  sessionId: created.session_id,
  secrets: () => secretsOf(deps, created) ?? {},
})
