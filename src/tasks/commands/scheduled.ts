// Commands of the server itself: a queued task starts, and a task whose time has run out expires.
import type { Place } from '../../../actors/task/waiting-line.ts'
import type { TaskCommand } from '../../contract/commands.ts'
import { StorageFailure } from '../../contract/stored.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import { contextOf } from './context.ts'
import type { CommandDeps } from './deps.ts'

export const scheduledCommands = ({ runtime, scheduler, queries, isLogAway }: CommandDeps) => ({
  /**
   * Starts the next queued task; the scheduler calls it. No task starts while the log cannot be written. When the log is
   * back, recovery fills the queue again in the old order.
   */
  start(place: Place): void {
    if (isLogAway()) return
    const stream = taskStream(place.taskId)
    const context = contextOf(queries, place, queries.inputIds(place.taskId), false)
    const command: TaskCommand = { type: 'StartTask', context, principal: 'system', causation: stream }
    runtime.ask(stream, command).then(
      view => {
        if (view.status !== 'working') scheduler.release(place.taskId)
      },
      error => {
        if (!(error instanceof StorageFailure)) scheduler.release(place.taskId)
      },
    )
  },

  /** Expires a task if its time has run out; `startedAt` is the server's start. */
  expire(taskId: string, startedAt: number): Promise<DecidedTask> {
    const stream = taskStream(taskId)
    return runtime.ask(stream, { type: 'ExpireTask', startedAt, principal: 'system', causation: stream })
  },
})
