// Builds the kind of actor for tasks from its dependencies.
import { taskKind } from '../../actors/task/actor.ts'
import type { Ttls } from '../../actors/task/events.ts'
import type { RunningCalls } from '../../actors/task/running-calls.ts'
import type { Scheduler } from '../../actors/task/scheduler.ts'
import { createWritePace } from '../../actors/task/write-pace.ts'
import { type Roots, workspaceOf } from '../access/user-folders.ts'
import type { Agent } from '../contract/agent.ts'
import type { World } from '../contract/ports.ts'
import { isBehind } from '../contract/refusals.ts'
import type { TaskEventData } from '../contract/task-events.ts'
import type { Reach, Tool, ToolSource } from '../contract/tools.ts'
import { groupAgent } from '../contract/wire.ts'
import type { DiskUse } from '../fairness/disk/disk-use.ts'
import type { LoopShares } from '../fairness/loop-shares.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { SchemaChecker } from '../json-schema/checker.ts'
import type { EventLog } from '../log/log.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Queries } from './queries.ts'
import { type AgentChoice, agentOf } from './request/agent-choice.ts'
import { answerProblem } from './structured-output.ts'
import { keepTools } from './tool-lists.ts'
import { createToolbox } from './toolbox.ts'

export type KindDeps = {
  world: World
  log: EventLog
  queries: Queries
  secrets: Secrets
  agents: ReadonlyMap<string, Agent>
  agentChoice: AgentChoice
  checker: SchemaChecker
  /** The built-in tools, the tools of the environment session that a task names, and the tools of MCP servers. */
  tools: { builtin: Tool[]; session: ToolSource; mcp: ToolSource }
  scheduler: Scheduler
  quotas: Pick<Quotas, 'reserveTask'>
  disk: Pick<DiskUse, 'shareOf'>
  loop: LoopShares
  roots: Roots
  ttls: Ttls
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

export const createKind = (deps: KindDeps, calls: RunningCalls) => {
  const { log, queries, secrets, agents, checker, quotas, roots, disk } = deps
  return taskKind({
    world: deps.world,
    log,
    agents: name => agents.get(name),
    agentOf: request => agentOf(request, deps.agentChoice),
    // A group chat is no subagent: a call cannot say who its speakers are.
    tools: createToolbox({
      ...deps.tools,
      agents: [...agents.keys()].filter(name => name !== groupAgent),
      checker,
    }),
    keepTools: keepTools(log),
    calls,
    answerProblem: answerProblem(checker),
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
  })
}
