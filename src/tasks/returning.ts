// Resumes tasks that were paused because their agent was missing, when this server has the agent. They go on like queued
// tasks: as many as the limit allows, one of a session at a time, the oldest first. So a start does not wait for them.

import type { Runtime } from '../../actors/runtime/runtime.ts'
import type { Scheduler } from '../../actors/task/places/scheduler.ts'
import type { PausedTask } from '../../projections/tasks/rows.ts'
import type { TaskCommand } from '../contract/commands/commands.ts'
import type { Report } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import { StorageFailure } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import type { DecidedTask } from '../history/task-view.ts'

/** The reason of a pause for the lack of an agent. */
export const agentMissing = 'agent_missing'

type Deps = {
  runtime: Pick<Runtime<DecidedTask, TaskCommand>, 'ask'>
  scheduler: Pick<Scheduler, 'isFree' | 'onRoom'>
  isDraining: () => boolean
  report: Report
}

export const createReturning = ({ runtime, scheduler, isDraining, report }: Deps) => {
  let waiting: PausedTask[] = []
  let isAtWork = false

  const isFree = ({ id, user_id, session_id, agent, subtask }: PausedTask): boolean =>
    subtask === 1 || scheduler.isFree({ taskId: id, userId: user_id, sessionId: session_id, agent })

  /** The oldest task that may go on now. */
  const next = (): PausedTask | undefined => {
    const at = isDraining() ? -1 : waiting.findIndex(isFree)
    return at === -1 ? undefined : waiting.splice(at, 1)[0]
  }

  const resume = async ({ id }: PausedTask): Promise<void> => {
    const command: TaskCommand = {
      type: 'ResumeTask',
      only: agentMissing,
      principal: 'system',
      causation: '',
    }
    try {
      await runtime.ask(taskStream(id), command)
    } catch (error) {
      if (error instanceof StorageFailure)
        waiting = [] // they begin again when the log can be written
      else if (!(error instanceof Refusal)) report('error', `task ${id} cannot be resumed: ${error}`)
    }
  }

  const work = async (): Promise<void> => {
    if (isAtWork) return
    isAtWork = true
    for (let task = next(); task !== undefined; task = next()) await resume(task)
    isAtWork = false
  }
  scheduler.onRoom(() => void work())

  return {
    /** Resumes these tasks, oldest first, as soon as each may go on. May be called again. */
    begin(tasks: PausedTask[]): void {
      waiting = tasks
      void work()
    },
  }
}
