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

type Unfinished = ReturnType<Queries['unfinished']>
type Deps = {
  runtime: Pick<Runtime<DecidedTask, TaskCommand>, 'activate' | 'ask'>
  queries: Pick<Queries, 'pausedFor'>
  agents: { has(name: string): boolean }
  scheduler: Scheduler
  report: Report
}

/** The reason of a pause for the lack of an agent. */
const agentMissing = 'agent_missing'

/** Warns once for each agent that this server lacks and that unfinished tasks need. */
const warnOfMissing = ({ agents, report }: Pick<Deps, 'agents' | 'report'>, tasks: { agent: string }[]) => {
  const lacking = Map.groupBy(
    tasks.filter(({ agent }) => !agents.has(agent)),
    ({ agent }) => agent,
  )
  for (const [agent, { length }] of lacking)
    report(
      'warn',
      'tasks wait because this server has no such agent: start it with the settings of the agent',
      {
        agent,
        tasks: length,
      },
    )
}

/** Resumes the tasks that were paused because their agent was missing, if this server has it again. */
const resumeWithAgents = async ({ runtime, queries, agents, report }: Deps, isClosed: () => boolean) => {
  const waiting = queries.pausedFor(agentMissing)
  warnOfMissing({ agents, report }, waiting)
  for (const { id, agent } of waiting) {
    if (!agents.has(agent)) continue
    if (isClosed()) return
    const stream = taskStream(id)
    await runtime
      .ask(stream, { type: 'ResumeTask', principal: 'system', causation: '' })
      .catch(error => report('error', `task ${id} cannot be resumed: ${error}`))
  }
}

export const createRecovery = (deps: Deps) => {
  const { runtime, scheduler, agents, report } = deps
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
      warnOfMissing(
        { agents, report },
        unfinished.filter(({ status }) => status === 'working'),
      )
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
      await resumeWithAgents(deps, isClosed)
      if (!isClosed()) scheduler.begin()
    },
  }
}
