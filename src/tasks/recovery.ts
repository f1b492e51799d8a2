// Resumes the unfinished tasks after a start, and after a failure of the log.
import type { Runtime } from '../../actors/runtime/runtime.ts'
import type { Scheduler } from '../../actors/task/places/scheduler.ts'
import type { CodeAgents } from '../contract/code-agent.ts'
import type { TaskCommand } from '../contract/commands/commands.ts'
import type { Report } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import { DamagedEvent } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import { groupAgent } from '../contract/wire.ts'
import { openCalls } from '../history/task/calls.ts'
import type { DecidedTask } from '../history/task-view.ts'
import type { Alarm } from '../platform/time/alarm.ts'
import type { Queries } from './queries.ts'
import { agentMissing, createReturning } from './returning.ts'

type Unfinished = ReturnType<Queries['unfinished']>
type Deps = {
  runtime: Pick<Runtime<DecidedTask, TaskCommand>, 'activate' | 'ask' | 'until'>
  queries: Pick<Queries, 'pausedFor'>
  agents: { has(name: string): boolean }
  /** The agents that are code, hosted or in workers. */
  codeAgents?: Pick<CodeAgents, 'find'> | undefined
  scheduler: Scheduler
  /** Tells waiting tasks a moment later whether their agents can run. */
  tellAwaitsSoon(): void
  /** Wakes the code of agents. */
  alarm: Pick<Alarm, 'set' | 'clear'>
  isDraining: () => boolean
  report: Report
}

type OfAgent = { agent: string; user_id: string }

/** Warns once for each agent that this server lacks and that tasks need. */
const warnOfMissing = (report: Report, tasks: OfAgent[]) => {
  const lacking = Map.groupBy(tasks, ({ agent }) => agent)
  const what = 'tasks wait because this server has no such agent: start it with the settings of the agent'
  for (const [agent, { length }] of lacking) report('warn', what, { agent, tasks: length })
}

export const createTaskRecovery = (deps: Deps) => {
  const { runtime, queries, scheduler, agents, codeAgents, alarm, report } = deps
  const hasAgent = ({ agent, user_id: user }: OfAgent): boolean =>
    agents.has(agent) || codeAgents?.find(agent, user) !== undefined
  const returning = createReturning(deps)

  const viewOf = (id: string) => runtime.until(taskStream(id), () => true)
  /**
   * Cancels a subagent's task for which its caller does not wait any more: a crash came after the end of the call, and before
   * the cancel.
   */
  const cancelIfLeft = async (id: string): Promise<void> => {
    const { created } = await viewOf(id)
    if (created?.parent_task_id === undefined) return
    const caller = await viewOf(created.parent_task_id)
    if (openCalls(caller).some(({ effect }) => effect.child === id)) return
    const asked = {
      principal: 'system',
      causation: `${taskStream(created.parent_task_id)}@${caller.revision}`,
    }
    await runtime
      .ask(taskStream(id), { type: 'CancelTask', reason: 'caller_ended', ...asked })
      .catch(error => {
        if (!(error instanceof Refusal)) throw error
      })
    report('warn', 'a subagent was canceled, since its caller had stopped its call', { task: id })
  }
  const orReport = (id: string) => (error: unknown) => {
    const why = error instanceof DamagedEvent ? error.message : String(error)
    report('error', `task ${id} cannot be resumed: ${why}`)
  }

  return {
    /** Gives every unfinished task its place in the scheduler, as the log says. */
    takePlaces(unfinished: Unfinished): void {
      scheduler.reset()
      for (const { id, user_id, session_id, agent, status, subtask, wakes_at } of unfinished) {
        const waits = status === 'queued' || status === 'created'
        if (subtask === 1 || (status !== 'working' && !waits)) continue
        const place = { taskId: id, userId: user_id, sessionId: session_id, agent }
        if (status === 'working' && wakes_at !== null) scheduler.rest(place)
        else scheduler.fill(place, status === 'working')
      }
    },
    /** Resumes working tasks and tasks that wait with another task, and starts queued tasks that may start. May be called again. */
    async resume(unfinished: Unfinished, isClosed: () => boolean): Promise<void> {
      const paused = queries.pausedFor(agentMissing)
      const working = unfinished.filter(({ status }) => status === 'working')
      warnOfMissing(
        report,
        [...working, ...paused].filter(task => !hasAgent(task)),
      )
      alarm.clear()
      for (const { id, wakes_at } of unfinished) if (wakes_at !== null) alarm.set(id, wakes_at)
      for (const { id, subtask } of unfinished) {
        if (isClosed()) return
        if (subtask === 1) await cancelIfLeft(id).catch(orReport(id))
      }
      for (const { id, status, agent, wakes_at, pending_task, asks } of unfinished) {
        // A task that waits follows the task of its turn or subagent, and calls that ask its client.
        const isFollowing =
          status === 'input-required' && (agent === groupAgent || pending_task !== null || asks === 1)
        // A task whose code waits is woken by its timer, or by a message.
        if ((status !== 'working' || wakes_at !== null) && !isFollowing) continue
        if (isClosed()) return
        await runtime.activate(taskStream(id)).catch(orReport(id))
      }
      if (isClosed()) return
      scheduler.begin()
      deps.tellAwaitsSoon()
      returning.begin(paused.filter(hasAgent))
    },
  }
}
