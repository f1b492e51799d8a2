// What the actor of a task is given to do its work.
import type { Agent } from '../../src/contract/agent.ts'
import type { World } from '../../src/contract/ports.ts'
import type { Log } from '../../src/contract/stored.ts'
import type { TaskEventData } from '../../src/contract/task-events.ts'
import type { Reach, Toolbox, ToolInput } from '../../src/contract/tools.ts'
import type { ErrorObject, ToolDefinition } from '../../src/contract/wire.ts'
import type { Ttls } from './events.ts'
import type { RunningCalls } from './running-calls.ts'
import type { Scheduler } from './scheduler.ts'

export type TaskDeps = {
  world: World
  log: Log
  agents: (name: string) => Agent | undefined
  tools: Toolbox
  /** The stream that holds a list of tools for a user, stored when it is new. */
  keepTools: (owner: string, tools: ToolDefinition[]) => Promise<string>
  calls: RunningCalls
  /** Why a text is no answer that fits a schema; undefined: it fits. */
  answerProblem: (schema: object, answer: string, user: string) => Promise<ErrorObject | undefined>
  /** The hidden values of a task's request by reference; undefined when they are gone. */
  secrets: (ref: string) => Record<string, unknown> | undefined
  forgetSecrets: (ref: string) => void
  scheduler: Scheduler
  /**
   * Counts the task of a subagent as one of its user's, until it is stored or the answer is called. Throws a Refusal
   * when the user has too many.
   */
  reserve: (child: TaskEventData<'TaskCreated'>) => () => void
  ttls: Ttls
  /** The folder of a task's file tools, the folder of its user, which they never leave, and the user's disk. */
  workspaceOf: (created: TaskEventData<'TaskCreated'>) => Pick<ToolInput, 'userFolder' | 'workdir' | 'disk'>
  /** Resolves when the event loop has time for the next step of a task of this user; undefined: now. */
  turnOf: (user: string) => Promise<void> | undefined
  /** While the server drains, running steps and calls may finish and no step begins. */
  draining: () => boolean
  reach: Reach
}
