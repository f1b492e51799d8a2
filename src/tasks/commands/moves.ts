// Commands for a task as a whole: cancel, pause, resume, delete.
import type { Asked } from '../../contract/commands/commands.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import { Refusal } from '../../contract/refusals.ts'
import { taskStream } from '../../contract/task-stream.ts'
import { isTerminal } from '../../contract/wire.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import { by, type CommandDeps, hasEnded, streamFor } from './deps.ts'

/** Resolves when the task has ended. */
const cancel = async (
  { ask, until }: CommandDeps['runtime'],
  stream: string,
  asked: Asked,
  reason?: string,
): Promise<DecidedTask> => {
  await ask(stream, { type: 'CancelTask', ...asked, ...(reason === undefined ? {} : { reason }) })
  return until(stream, hasEnded)
}

export const moveCommands = ({ runtime, queries, log }: CommandDeps) => ({
  /** Cancels a task, and resolves when the task has ended. A second cancel joins the first. */
  async cancel(
    principal: Principal,
    taskId: string,
    requestId: string,
    reason?: string,
  ): Promise<DecidedTask> {
    return cancel(runtime, streamFor(queries, principal, taskId), by(principal, requestId), reason)
  },

  async pause(principal: Principal, taskId: string, requestId: string): Promise<DecidedTask> {
    await log.opened()
    return runtime.ask(streamFor(queries, principal, taskId), {
      type: 'PauseTask',
      ...by(principal, requestId),
    })
  },

  async resume(principal: Principal, taskId: string, requestId: string): Promise<DecidedTask> {
    await log.opened()
    return runtime.ask(streamFor(queries, principal, taskId), {
      type: 'ResumeTask',
      ...by(principal, requestId),
    })
  },

  /** Cancels the task if it has not ended, then deletes it. Returns the last state of the task. */
  async remove(principal: Principal, taskId: string, requestId: string): Promise<DecidedTask> {
    await log.opened()
    const { status } = queries.visible(principal, taskId)
    const stream = taskStream(taskId)
    const asked = by(principal, requestId)
    if (!isTerminal(status)) {
      await cancel(runtime, stream, asked).catch(error => {
        if (!(error instanceof Refusal && error.reason === 'NotCancelable')) throw error
      })
    }
    return runtime.ask(stream, { type: 'DeleteTask', ...asked })
  },
})
