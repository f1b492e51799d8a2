// Builds what the actors of tasks need from the parts of the server.
import type { RunningCalls } from '../../actors/task/calls/running-calls.ts'
import type { Ttls } from '../../actors/task/decide/events.ts'
import type { TaskDeps } from '../../actors/task/deps.ts'
import type { Scheduler } from '../../actors/task/places/scheduler.ts'
import { createWritePace } from '../../actors/task/step/write-pace.ts'
import { type Roots, workspaceOf } from '../access/user-folders.ts'
import type { Agent } from '../contract/agent.ts'
import type { CodeAgents, CodeVersion } from '../contract/code-agent.ts'
import type { TaskEventData } from '../contract/events/task-events.ts'
import type { World } from '../contract/ports.ts'
import { isBehind } from '../contract/refusals.ts'
import type { Reach, Tool, ToolSource } from '../contract/tools.ts'
import { groupAgent } from '../contract/wire.ts'
import type { Sessions } from '../env-sessions/commands.ts'
import type { DiskUse } from '../fairness/disk/disk-use.ts'
import type { LoopShares } from '../fairness/loop-shares.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { SchemaChecker } from '../json-schema/checker.ts'
import type { EventLog } from '../log/log.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Queries } from './queries.ts'
import { type AgentChoice, agentOf } from './request/agent-choice.ts'
import { answerProblem } from './structured-output.ts'
import { subagentConfigProblem } from './subagent-config.ts'
import { storeTools } from './tool-lists.ts'
import { createToolbox } from './toolbox.ts'

export type KindDeps = {
  world: World
  log: EventLog
  queries: Queries
  secrets: Secrets
  agents: ReadonlyMap<string, Agent>
  /** The agents that are code of users; absent: this server runs none. */
  codeAgents?: CodeAgents | undefined
  /** The `traceparent` for the spans of an agent's code. */
  traceparentOf?: (created: TaskEventData<'TaskCreated'>) => string
  /** The agents from which the tasks of a user can choose. */
  agentsOf: (user: string) => AgentChoice
  checker: SchemaChecker
  /** The built-in tools, the tools of the environment session that a task names, and the tools of MCP servers. */
  tools: { builtin: Tool[]; session: ToolSource; mcp: ToolSource }
  /** Resets and observes environment sessions. */
  operate: Sessions['operateFor']
  scheduler: Scheduler
  quotas: Pick<Quotas, 'reserveTask'>
  disk: Pick<DiskUse, 'shareOf'>
  loop: LoopShares
  roots: Roots
  ttls: Ttls
  /** Whether a host is there, or can be started, that runs the agent. */
  isServed: (agent: string, user: string) => boolean
  isDraining: () => boolean
  /** Called at each point where a crash would leave an effect incomplete. */
  reach: Reach
}

/**
 * Whether the quota binds the task of a subagent. It does if it binds the principal of the root task, and also while
 * the read models cannot tell: the agent does not wait for the read models, and no quota is exceeded.
 */
const isBound = (queries: Queries, { root_task_id = '' }: TaskEventData<'TaskCreated'>): boolean => {
  try {
    const principal = queries.rowById(root_task_id)?.principal
    return principal === undefined || queries.userOfPrincipal(principal) !== undefined
  } catch (error) {
    if (isBehind(error)) return true
    throw error
  }
}

/** The code on which a new task of an agent begins; undefined: the agent is no code of a user. */
export const codesOf =
  ({ agents, codeAgents }: Pick<KindDeps, 'agents' | 'codeAgents'>) =>
  (name: string, user: string): CodeVersion | undefined => {
    const found = agents.has(name) ? undefined : codeAgents?.find(name, user)
    return found && { version: found.version, isOwn: found.isOwn === true }
  }

export const taskDepsOf = (deps: KindDeps, calls: RunningCalls): TaskDeps => {
  const { log, queries, secrets, agents, checker, quotas, roots, disk } = deps
  const callable = [...agents.keys()].filter(name => name !== groupAgent)
  return {
    world: deps.world,
    log,
    agents: name => agents.get(name),
    codeAgents: deps.codeAgents,
    traceparentOf: deps.traceparentOf,
    codeOf: codesOf(deps),
    isServed: deps.isServed,
    agentOf: (request, user) => agentOf(request, deps.agentsOf(user)),
    // A group chat is no subagent: a call cannot say who its speakers are.
    tools: createToolbox({
      ...deps.tools,
      agents: user => [...callable, ...(deps.codeAgents?.names(user) ?? [])],
      checker,
    }),
    storeTools: storeTools(log),
    calls,
    operate: ({ session_id, user_id }, operation) => deps.operate(session_id, user_id, operation),
    answerProblem: answerProblem(checker),
    configProblem: subagentConfigProblem,
    secrets: ref => secrets.get(ref),
    forgetSecrets: ref => secrets.forget(ref),
    scheduler: deps.scheduler,
    reserve: child => quotas.reserveTask(child.task_id, child.user_id, isBound(queries, child)),
    ttls: deps.ttls,
    workspaceOf: created => ({
      disk: disk.shareOf(created.user_id),
      ...workspaceOf(roots.workspace, created),
    }),
    turnOf: deps.loop.enter,
    pace: createWritePace(deps.world.clock),
    draining: deps.isDraining,
    reach: deps.reach,
  }
}
