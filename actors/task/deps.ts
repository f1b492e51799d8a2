// The dependencies of a task's actor.
import type { Agent } from '../../src/contract/agent.ts'
import type { CodeAgents } from '../../src/contract/code-agent.ts'
import type { EnvOperation } from '../../src/contract/environment.ts'
import type { TaskEventData } from '../../src/contract/events/task-events.ts'
import type { World } from '../../src/contract/ports.ts'
import type { Log } from '../../src/contract/stored.ts'
import type { Reach, Toolbox, ToolInput } from '../../src/contract/tools.ts'
import type { CreateTaskBody, ErrorObject, ToolDefinition } from '../../src/contract/wire.ts'
import type { RunningCalls } from './calls/running-calls.ts'
import type { At, Ttls } from './decide/events.ts'
import type { Scheduler } from './places/scheduler.ts'
import type { WritePace } from './step/write-pace.ts'

export type TaskDeps = {
  world: World
  log: Log
  agents: (name: string) => Agent | undefined
  /** The name of the agent that runs a request. */
  agentOf: (request: CreateTaskBody, user: string) => string
  tools: Toolbox
  /** Stores a list of tools for a user if it is new, and returns the stream that holds it. */
  storeTools: (owner: string, tools: ToolDefinition[]) => Promise<string>
  /**
   * Resets or observes the environment session of a task. A reset that is repeated with the same effect is done once.
   * Rejects when the session of the task has no environment.
   */
  operate: (created: TaskEventData<'TaskCreated'>, operation: EnvOperation) => Promise<object>
  /** Why the code of an agent cannot give a subagent this configuration; undefined: it can. */
  configProblem: (config: Record<string, unknown>) => string | undefined
  calls: RunningCalls
  /** Why an answer does not fit a schema; undefined: it fits. */
  answerProblem: (schema: object, answer: string, user: string) => Promise<ErrorObject | undefined>
  /** The secret values of a task's request, by reference; undefined when they are gone. */
  secrets: (ref: string) => Record<string, unknown> | undefined
  forgetSecrets: (ref: string) => void
  /** The agents that are code of users; absent: this server runs none. */
  codeAgents?: CodeAgents | undefined
  /** The `traceparent` under which the code of an agent adds its spans to the span of its task; absent: there is none. */
  traceparentOf?: ((created: TaskEventData<'TaskCreated'>) => string) | undefined
  scheduler: Scheduler
  /**
   * Counts a subagent's new task among the tasks of its user, until the task is stored or the returned function is
   * called. Throws a Refusal when the user has too many tasks.
   */
  reserve: (child: TaskEventData<'TaskCreated'>) => () => void
  ttls: Ttls
  /** The version on which a new task of an agent begins; undefined: the agent is no code of a user. */
  codeOf?: At['codeOf']
  /** Whether a host is there, or can be started, that runs the agent; absent: always. */
  isServed?: At['isServed']
  /**
   * The folder in which a task's file tools work, the user's folder, which the tools never leave, and the disk quota.
   */
  workspaceOf: (created: TaskEventData<'TaskCreated'>) => Pick<ToolInput, 'userFolder' | 'workdir' | 'disk'>
  /** Resolves when the event loop has time for the next step of a task of this user; undefined: it has time now. */
  turnOf: (user: string) => Promise<void> | undefined
  /** Decides how often steps store the text that they stream. */
  pace: WritePace
  /** True while the server drains: running steps and calls may finish, but no step begins. */
  draining: () => boolean
  reach: Reach
}
