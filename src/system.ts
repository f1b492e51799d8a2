// Everything but the network, put together: the log, its readers, the actors, and the doors to them.
import type { SessionFolders } from '../actors/env-session/ports.ts'
import type { Inspect } from '../actors/runtime/live.ts'
import type { Ttls } from '../actors/task/facts.ts'
import { createScheduler } from '../actors/task/scheduler.ts'
import type { ReadStore } from '../projections/store.ts'
import { type Roots, userFolder } from './access/user-folders.ts'
import { createBus } from './bus/bus.ts'
import type { NatsBus } from './bus/nats-bus.ts'
import type { Agent } from './contract/agent.ts'
import type { Report, World } from './contract/ports.ts'
import { Refusal } from './contract/refusals.ts'
import { StorageFailure } from './contract/stored.ts'
import { taskEnds } from './contract/task-state.ts'
import { taskIdOf } from './contract/task-stream.ts'
import type { Reach, Tool } from './contract/tools.ts'
import { type EnvironmentKinds, withMcp } from './env-sessions/kinds.ts'
import { createSessionSystem } from './env-sessions/system.ts'
import { createFairness } from './fairness/fairness.ts'
import type { QuotaLimits } from './fairness/quotas.ts'
import type { SchemaChecker } from './json-schema/checker.ts'
import type { EventLog } from './log/log.ts'
import { watchLog } from './maintenance/log-watch.ts'
import { openReadModels } from './maintenance/open-read-models.ts'
import { createRecovery } from './maintenance/recovery.ts'
import type { Mcp } from './mcp/mcp.ts'
import type { Secrets } from './platform/secrets.ts'
import { createQueries } from './tasks/queries.ts'
import { createTasks } from './tasks/tasks.ts'

export type SystemDeps = {
  world: World
  log: EventLog
  /** Opens the read models; `anew` throws away what is there. */
  openReadStore: (anew: boolean) => ReadStore
  secrets: Secrets
  agents: Map<string, Agent>
  tools: Tool[]
  checker: SchemaChecker
  /** Makes the tools of MCP servers, which ask whether a task works; absent: there are none. */
  mcp?: (isWorking: (taskId: string) => boolean) => Mcp
  environments: EnvironmentKinds
  sessionFolders: SessionFolders
  sessionIdleSeconds: number
  /** Where users have their folders; those of their sessions apart. */
  roots: Roots
  sessionsRoot: string
  ttls: Ttls
  maxRunningTasks: number
  quotas: QuotaLimits
  /** Carries events to those who follow them; absent: they get what is committed. */
  nats?: Pick<NatsBus, 'join'> | undefined
  report: Report
  /** Sees what running actors do. */
  inspect?: Inspect | undefined
  /** Leaves the tasks of the log alone: for a command that only wants the doors. */
  idle?: boolean
  /** Called at every point where a crash would leave an effect half done; tests stop there. */
  reach?: Reach
}

const sweepMs = 250
const noTools: Pick<Mcp, 'list' | 'find'> = { list: async () => [], find: async () => undefined }

/** An effect that could not report to its actor. The log has reported its own failures; a refusal means that the task moved on. */
const faultTo = (report: Report) => (error: unknown) => {
  if (error instanceof Refusal || error instanceof StorageFailure) return
  report('error', 'an effect could not report', {
    error: error instanceof Error ? error.stack : String(error),
  })
}

/** Closes the connections of a task to MCP servers when it has ended. */
const followEnds = (log: EventLog, mcp: Mcp): void =>
  log.onCommit(committed => {
    for (const { header } of committed) if (taskEnds.has(header.type)) mcp.ended(taskIdOf(header.stream))
  })

export const createSystem = async (deps: SystemDeps) => {
  const { world, log, secrets, checker, roots, report } = deps
  const { timers } = world
  const startedAt = world.clock.now()
  const onFault = faultTo(report)
  let draining = false
  let closed = false

  const { store, projector } = await openReadModels({ log, openStore: deps.openReadStore, timers, report })
  const queries = createQueries(store, projector, log)
  const fairness = createFairness({
    limits: deps.quotas,
    foldersOf: user => [...Object.values(roots), deps.sessionsRoot].map(root => userFolder(root, user)),
    isBound: queries.hasToken,
    world,
    report,
  })
  const { quotas, disk, loop } = fairness
  log.onCommit(projector.follow)
  log.onCommit(quotas.follow)
  const bus = createBus({ log, loop, nats: deps.nats, report })

  const scheduler = createScheduler(deps.maxRunningTasks)
  const mcp = deps.mcp?.(scheduler.isRunning)
  if (mcp !== undefined) followEnds(log, mcp)
  const kinds = mcp === undefined ? deps.environments : withMcp(deps.environments, mcp.environment)
  const environments = createSessionSystem({
    world,
    log,
    store,
    projector,
    secrets,
    checker,
    environments: kinds,
    folders: deps.sessionFolders,
    quotas,
    disk,
    idleSeconds: deps.sessionIdleSeconds,
    isNamed: ({ id, userId }) =>
      queries.unfinished().some(row => row.session_id === id && row.user_id === userId),
    inspect: deps.inspect,
    onFault,
  })
  const tasks = createTasks({
    world,
    log,
    queries,
    secrets,
    agents: deps.agents,
    checker,
    tools: { builtin: deps.tools, session: environments.tools, mcp: mcp ?? noTools },
    scheduler,
    quotas,
    disk,
    loop,
    roots,
    ttls: deps.ttls,
    startedAt,
    isDraining: () => draining,
    reach: deps.reach ?? (() => {}),
    report,
    inspect: deps.inspect,
    onFault,
  })
  const recovery = createRecovery({
    log,
    projector,
    tasks,
    sessions: environments.queries,
    quotas,
    secrets,
    isClosed: () => closed,
    report,
  })
  const stopSweeping = deps.idle ? () => {} : timers.every(sweepMs, () => void tasks.sweep().catch(onFault))
  const stopWatching = watchLog({ log, projector, timers, report })

  log.check() // how the files are now
  if (!deps.idle) recovery.takePlaces()
  if (!deps.idle) await environments.start()
  const resumed = deps.idle ? 0 : await recovery.goOn()

  return {
    log,
    bus,
    tasks,
    environments,
    /** Every kind of environment. */
    kinds,
    fairness,
    projector,
    resumed,
    /** How many positions the read models are behind the log. */
    lag: () => (projector.isCurrent() ? 0 : log.head() - projector.reached()),
    /** From now on running steps may finish and none begins; resolves when none runs or after `ms`. */
    async drain(ms: number): Promise<void> {
      draining = true
      const until = Date.now() + ms
      const busy = () => tasks.runtime.busy() + environments.busy()
      while (busy() > 0 && Date.now() < until) await new Promise(resolve => setTimeout(resolve, 10))
    },
    async close(): Promise<void> {
      draining = true
      closed = true
      stopSweeping()
      stopWatching()
      tasks.stop()
      await mcp?.close()
      await environments.stop()
      await tasks.files.stop()
      await disk.close()
      await checker.close()
      await log.settled()
      projector.flush() // what it writes down last it still reads from the log
      await log.close()
      store.close()
      secrets.close()
    },
  }
}
export type System = Awaited<ReturnType<typeof createSystem>>
