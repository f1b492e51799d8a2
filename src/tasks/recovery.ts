// Resumes the unfinished tasks after a start, and after a failure of the log.
import type { Runtime } from '../../actors/runtime/runtime.ts'
import type { Scheduler } from '../../actors/task/scheduler.ts'
import type { TaskCommand } from '../contract/commands.ts'
import type { Report } from '../contract/ports.ts'
import { DamagedEvent } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import { groupAgent } from '../contract/wire.ts'
import type { DecidedTask } from '../history/task-view.ts'
import type { Queries } from './queries.ts'
import { agentMissing, createReturning } from './returning.ts'

type Unfinished = ReturnType<Queries['unfinished']>
type Deps = {
  runtime: Pick<Runtime<DecidedTask, TaskCommand>, 'activate' | 'ask'>
  queries: Pick<Queries, 'pausedFor'>
  agents: { has(name: string): boolean }
  scheduler: Scheduler
  isDraining: () => boolean
  report: Report
}

/** Warns once for each agent that this server lacks and that tasks need. */
const warnOfMissing = ({ agents, report }: Pick<Deps, 'agents' | 'report'>, tasks: { agent: string }[]) => {
  const lacking = Map.groupBy(
    tasks.filter(({ agent }) => !agents.has(agent)),
    ({ agent }) => agent,
  )
  const what = 'tasks wait because this server has no such agent: start it with the settings of the agent'
  for (const [agent, { length }] of lacking) report('warn', what, { agent, tasks: length })
}

export const createRecovery = (deps: Deps) => {
  const { runtime, queries, scheduler, agents, report } = deps
  const returning = createReturning(deps)
  return {
    /** Gives every unfinished task its place in the scheduler, as the log says. */
    takePlaces(unfinished: Unfinished): void {
      scheduler.reset()
      for (const { id, user_id, session_id, status, subtask } of unfinished) {
        const waits = status === 'queued' || status === 'created'
        if (subtask === 1 || (status !== 'working' && !waits)) continue
        scheduler.fill({ taskId: id, userId: user_id, sessionId: session_id }, status === 'working')
      }
    },
    /** Resumes working tasks and waiting group chats, and starts queued tasks that may start. May be called again. */
    async resume(unfinished: Unfinished, isClosed: () => boolean): Promise<void> {
      const paused = queries.pausedFor(agentMissing)
      warnOfMissing(deps, [...unfinished.filter(({ status }) => status === 'working'), ...paused])
      for (const { id, status, agent } of unfinished) {
        // A group chat that waits follows the task of its turn.
        const isFollowing = agent === groupAgent && status === 'input-required'
        if (status !== 'working' && !isFollowing) continue
        if (isClosed()) return
        await runtime.activate(taskStream(id)).catch(error => {
          const why = error instanceof DamagedEvent ? error.message : String(error)
          report('error', `task ${id} cannot be resumed: ${why}`)
        })
      }
      if (isClosed()) return
      scheduler.begin()
      returning.begin(paused.filter(({ agent }) => agents.has(agent)))
    },
  }
}
