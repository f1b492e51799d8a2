// Ends tasks whose time has run out.
import type { Runtime } from '../../actors/runtime/runtime.ts'
import { deadlineOf } from '../../actors/task/decide/decide.ts'
import type { TaskCommand } from '../contract/commands/commands.ts'
import type { Clock } from '../contract/ports.ts'
import type { DecidedTask } from '../history/task-view.ts'
import type { Commands } from './commands.ts'
import type { Queries } from './queries.ts'

type Deps = {
  runtime: Pick<Runtime<DecidedTask, TaskCommand>, 'views'>
  commands: Pick<Commands, 'expire'>
  queries: Pick<Queries, 'overdue'>
  clock: Clock
  /** When this server started. The deadline of a working task counts from no earlier time. */
  startedAt: number
  onFault: (error: unknown) => void
}

/** The read model has the deadlines of waiting tasks; the actors of working tasks know the deadlines of these tasks. */
export const createExpiry =
  ({ runtime, commands, queries, clock, startedAt, onFault }: Deps) =>
  (): void => {
    const now = clock.now()
    const overdue = queries.overdue(now)
    for (const view of runtime.views()) {
      if (view.status !== 'working' || view.created === undefined) continue
      if ((deadlineOf(view, startedAt) ?? Number.POSITIVE_INFINITY) <= now) overdue.push(view.created.task_id)
    }
    for (const taskId of overdue) commands.expire(taskId, startedAt).catch(onFault)
  }
