// Assembles everything except the network: the log, its readers, the actors, and the services in front of them.

import type { SessionFolders } from '../../actors/env-session/ports.ts'
import { principalKind } from '../../actors/principal/actor.ts'
import type { Inspect } from '../../actors/runtime/logic.ts'
import { createRuntime } from '../../actors/runtime/runtime.ts'
import type { Ttls } from '../../actors/task/decide/events.ts'
import { createScheduler } from '../../actors/task/places/scheduler.ts'
import type { ReadStore } from '../../projections/store.ts'
import { createMakers } from '../access/makers.ts'
import { type Roots, userFolder } from '../access/user-folders.ts'
import type { CodeHosts } from '../agent-hosts/code-hosts.ts'
import { builtinNames } from '../agents/names.ts'
import { createBus } from '../bus/bus.ts'
import type { NatsBus } from '../bus/nats/nats-bus.ts'
import type { Agent } from '../contract/agent.ts'
import type { Report, World } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import { StorageFailure } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import type { Reach, Tool } from '../contract/tools.ts'
import { createCronSystem } from '../cron/system.ts'
import { tellStatus } from '../doors/a2a/pushed.ts'
import { findEnded } from '../doors/openai/responses/ended.ts'
import type { OutsideFetch } from '../egress/guarded-fetch.ts'
import { type EnvironmentKinds, withMcp } from '../env-sessions/kinds.ts'
import { createSessionSystem } from '../env-sessions/system.ts'
import type { RetentionRule } from '../erasure/retention-rules.ts'
import { type Erasures, openErasures } from '../erasure/system.ts'
import { createFairness } from '../fairness/fairness.ts'
import type { QuotaLimits } from '../fairness/quotas.ts'
import type { SchemaChecker } from '../json-schema/checker.ts'
import type { EventLog } from '../log/log.ts'
import { type MakeMcp, openMcp } from '../mcp/open.ts'
import { createOnce } from '../once/once.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Proof } from '../proof/proof.ts'
import { createQueries, type Queries } from '../tasks/queries.ts'
import type { AgentChoice } from '../tasks/request/agent-choice.ts'
import { createTasks } from '../tasks/tasks.ts'
import { retriedBy } from '../tasks/when-current.ts'
import { traceparentOf } from '../telemetry/spans.ts'
import { createWebhooks } from '../webhooks/webhooks.ts'
import { openReadModels } from './opening/open-read-models.ts'
import { createRecovery } from './recovery.ts'
import { closeInOrder, createShutdown } from './shutdown.ts'
import { startTimers } from './start-timers.ts'

export type SystemDeps = {
  world: World
  log: EventLog
  /** Opens the read models. `anew`: removes the existing read models first. */
  openReadStore: (anew: boolean) => ReadStore
  secrets: Secrets
  agents: Map<string, Agent>
  /** The agents that are code of users. Absent: there are none. */
  codeHosts?: (Pick<CodeHosts, 'agents' | 'problemOf'> & Partial<Pick<CodeHosts, 'workers'>>) | undefined
  /** The agent for requests that name no agent. */
  defaultAgent: string
  /** Whether the operator has configured an MCP server of this name. Absent: no MCP server is configured. */
  hasMcpServer?: (name: string) => boolean
  tools: Tool[]
  checker: SchemaChecker
  /** Absent: there are no MCP servers. */
  mcp?: MakeMcp
  environments: EnvironmentKinds
  sessionFolders: SessionFolders
  sessionIdleSeconds: number
  /** The folders that contain the folders of users. Files of environment sessions are below `sessionsRoot`. */
  roots: Roots
  sessionsRoot: string
  ttls: Ttls
  maxRunningTasks: number
  quotas: QuotaLimits
  /** The rules that say which ended tasks are erased, and after how many days. Absent: no task is erased. */
  retention?: readonly RetentionRule[]
  /** Brings public events to the subscribers over NATS. Absent: the bus publishes each commit directly. */
  nats?: Pick<NatsBus, 'join' | 'erase'> | undefined
  /** Signs checkpoints of the log until the log is closed. Absent: there are no checkpoints. */
  proof?: Pick<Proof, 'stop'> | undefined
  /** Sends requests to addresses that callers give. */
  outside: OutsideFetch
  report: Report
  /** Observes what running actors do. */
  inspect?: Inspect | undefined
  /** True: no unfinished work is resumed and no webhook is sent, for a command that needs only the services. */
  idle?: boolean
  /** Called at every point where a crash would leave an effect half done. Tests stop the system at such points. */
  reach?: Reach
}

/**
 * Reports the error when the result of an effect could not be stored. It leaves out a StorageFailure, which the log has
 * reported itself, and a Refusal, which means that the task has ended or no longer waits for the effect.
 */
const faultTo = (report: Report) => (error: unknown) => {
  if (error instanceof Refusal || error instanceof StorageFailure) return
  report('error', 'the result of an effect could not be stored', {
    error: error instanceof Error ? error.stack : String(error),
  })
}

/** The limits for each user and for all users together. Each user has a folder in every root and in `sessionsRoot`. */
const fairnessOf = ({ quotas, roots, sessionsRoot, world, report }: SystemDeps, queries: Queries) =>
  createFairness({
    limits: quotas,
    foldersOf: user => [...Object.values(roots), sessionsRoot].map(root => userFolder(root, user)),
    isBound: queries.hasToken,
    world,
    report,
  })

/** Returns the function that gives the agents from which the tasks of a user can choose. */
const agentsOfUser =
  ({ agents, codeHosts, defaultAgent, hasMcpServer }: SystemDeps) =>
  (user: string): AgentChoice => ({
    names: [...agents.keys(), ...(codeHosts?.agents.names(user) ?? [])],
    problemOf: name => codeHosts?.problemOf(name, user),
    fallback: defaultAgent,
    ...(hasMcpServer === undefined ? {} : { hasMcpServer }),
  })

/** Whether an unfinished task belongs to this session and to the user of the session. */
const namedBy = (queries: Queries) => (session: { id: string; userId: string }) =>
  queries.unfinished().some(row => row.session_id === session.id && row.user_id === session.userId)

/**
 * Resumes the work that an earlier run left unfinished. Returns the number of resumed tasks. `whenCurrent` repeats what
 * fails because work that has begun already, such as retention, finds the read models damaged.
 */
const takeUp = async (
  recovery: ReturnType<typeof createRecovery>,
  environments: { start(): Promise<void> },
  erasures: Pick<Erasures, 'start'>,
  whenCurrent: ReturnType<typeof retriedBy>,
): Promise<number> => {
  await erasures.start()
  await recovery.takePlaces()
  await whenCurrent(environments.start)
  return recovery.begin()
}

export const createSystem = async (deps: SystemDeps) => {
  const { world, log, secrets, checker, report, ttls } = deps
  const startedAt = world.clock.now()
  const onFault = faultTo(report)
  const shutdown = createShutdown()
  const { isDraining, isClosed } = shutdown

  const { timers } = world
  const { store, projector } = await openReadModels({ log, openStore: deps.openReadStore, timers, report })
  const queries = createQueries(store, projector, log)
  const fairness = fairnessOf(deps, queries)
  const { quotas, disk, loop } = fairness
  log.onCommit(projector.follow)
  log.onCommit(quotas.follow)
  const bus = createBus({ log, loop, nats: deps.nats, report })

  const once = createOnce({ store, projector, log, clock: world.clock })
  const hosted = deps.codeHosts?.agents
  const isServed = (agent: string, user: string): boolean =>
    hosted === undefined || deps.agents.has(agent) || builtinNames.has(agent) || hosted.isServed(agent, user)
  const scheduler = createScheduler(deps.maxRunningTasks, ({ agent, userId }) => isServed(agent, userId))
  const mcp = openMcp(deps.mcp, log, scheduler.isRunning)
  const kinds = withMcp(deps.environments, mcp.environment)
  const kept = { log, secrets, store, projector }
  const shared = { world, ...kept, once, checker, quotas, disk, report, inspect: deps.inspect, onFault }
  const environments = createSessionSystem({
    ...shared,
    environments: kinds,
    folders: deps.sessionFolders,
    idleSeconds: deps.sessionIdleSeconds,
    isNamed: namedBy(queries),
  })
  const tasks = createTasks({
    ...shared,
    queries,
    agents: deps.agents,
    agentsOf: agentsOfUser(deps),
    codeAgents: hosted,
    traceparentOf,
    isServed,
    isRefused: deps.outside.isRefused,
    tools: { builtin: deps.tools, session: environments.tools, mcp: mcp.tools },
    copySession: environments.sessions.fork,
    operate: environments.sessions.operateFor,
    scheduler,
    loop,
    roots: deps.roots,
    ttls,
    startedAt,
    isDraining,
    reach: deps.reach ?? (() => {}),
  })
  const { events } = bus
  const makers = createMakers(queries.makers, world)
  log.onCommit(makers.take)
  // A write may have failed although the file has its events.
  log.onReopened(async () => {
    await projector.catchUp()
    makers.fill()
  })
  const principals = createRuntime({ log, kind: principalKind, timers, onFault, inspect: deps.inspect })
  const { created, stored } = tasks.streams
  const shownTasks = { createdOf: created, storedFrames: stored, streamOf: taskStream }
  const webhooks = createWebhooks({
    ...shared,
    events,
    makers,
    outside: deps.outside,
    forms: { findEnded: findEnded(shownTasks), tellStatus: tellStatus(shownTasks) },
    endOf: queries.endOf,
    isDraining,
  })
  const cron = createCronSystem({ ...shared, tasks, makers, isDraining })
  const forgetUser = deps.codeHosts?.workers?.erase
  const erasures = await openErasures({
    ...{ ...shared, ...deps, tasks, environments, webhooks, cron, events },
    forgetUser,
  })
  const busy = () => tasks.runtime.busy() + environments.busy() + webhooks.busy() + cron.busy()
  const sessions = environments.queries
  const whenCurrent = retriedBy(queries.caughtUp, isClosed)
  const recovery = createRecovery({ ...shared, tasks, cron, sessions, whenCurrent, isClosed })
  const stopTimers = startTimers({ ...shared, tasks, isIdle: deps.idle === true })

  log.check() // records which files the log has now, and later checks compare the files with this record
  const resumed = deps.idle ? 0 : await takeUp(recovery, environments, erasures, whenCurrent)
  if (!deps.idle) webhooks.start()

  return {
    log,
    ...{ bus, tasks, environments, webhooks, cron, principals, erasures },
    ...{ kinds, fairness, projector, resumed },
    /** How many actors are at work. What waits for somebody, or for a time, is not. */
    busy,
    /** The number of positions by which the read models are behind the log. */
    lag: () => (projector.isCurrent() ? 0 : log.head() - projector.reached()),
    /** From now on, no work begins. Resolves when no work runs any more, or after `ms` milliseconds. */
    drain: (ms: number): Promise<void> => shutdown.drain(busy, ms),
    close(): Promise<void> {
      shutdown.close()
      stopTimers()
      makers.stop()
      erasures.stop()
      return closeInOrder({
        ...shared,
        proof: deps.proof,
        principals,
        tasks,
        cron,
        webhooks,
        mcp,
        environments,
      })
    },
  }
}
export type System = Awaited<ReturnType<typeof createSystem>>
