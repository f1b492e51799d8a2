// Opens a log with its read models, its actors, and everything that these need; together they are called a shard. This
// process already holds the lock of the data folder. When a part cannot be opened, all opened parts are closed again.
import path from 'node:path'
import type { Inspect } from '../../../actors/runtime/logic.ts'
import { openReadStore } from '../../../projections/store.ts'
import { createLogins } from '../../access/logins.ts'
import { createPrincipals, type PrincipalActors, recordAdminToken } from '../../access/principals.ts'
import { createTickets } from '../../access/tickets.ts'
import { openCodeHosts } from '../../agent-hosts/code-hosts.ts'
import { commandOfAgent } from '../../agent-hosts/where.ts'
import { createAgents, defaultAgentOf } from '../../agents/agents.ts'
import { builtinNames } from '../../agents/names.ts'
import { createNatsBus, type NatsBusDeps } from '../../bus/nats/nats-bus.ts'
import { adminTokenOf, type Config } from '../../config.ts'
import type { Report, World } from '../../contract/ports.ts'
import type { Reach } from '../../contract/tools.ts'
import { createOutsideFetch } from '../../egress/guarded-fetch.ts'
import { isPublic } from '../../egress/public-address.ts'
import { createSessionFolders } from '../../env-sessions/folders.ts'
import { createEnvironments } from '../../environments/environments.ts'
import { findProtection, noProtection } from '../../environments/protection.ts'
import { createSchemaChecker } from '../../json-schema/checker.ts'
import type { EventLog } from '../../log/log.ts'
import type { Store } from '../../log/store.ts'
import { isPinned } from '../../maintenance/backup/backup-pins.ts'
import { createMcp, type Mcp } from '../../mcp/mcp.ts'
import { createMetrics } from '../../metrics/metrics.ts'
import { openChildren } from '../../platform/children/children.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { whatStandsAt } from '../../platform/files/plain-file.ts'
import { createMemoryWatch } from '../../platform/programs/memory-watch.ts'
import { openSecrets, type Secrets } from '../../platform/secrets.ts'
import { version } from '../../platform/version.ts'
import { realWorld } from '../../platform/world.ts'
import type { Queries } from '../../tasks/queries.ts'
import { builtinTools } from '../../tools/builtin.ts'
import { createSystem } from '../system.ts'
import { mustHaveItsSecrets } from './its-secrets.ts'
import { leftBehind } from './left-behind.ts'
import { openProvenLog } from './open-proven-log.ts'

const commandOfAgents =
  ({ agentHosts }: Config) =>
  (file: string) =>
    commandOfAgent(file, agentHosts.memoryMb)

const protectionOf = (config: Config) => {
  const { sessions, rollouts, logs } = filesOf(config.dataDir)
  return findProtection({
    dataDir: config.dataDir,
    sessions,
    ownFolders: [config.workspaceRoot, rollouts, logs],
    modules: config.environments.path,
    agents: config.agentHosts.path,
    firstUserId: config.firstUserId,
    allowUnsandboxedShell: config.allowUnsandboxedShell,
  })
}

/** Kills processes that a killed server left running, and reports how many. */
const openOwnChildren = async (folder: string, report: Report) => {
  const children = await openChildren(folder)
  const { killed } = children
  if (killed > 0) report('warn', 'processes that a killed server had left running were killed', { killed })
  return children
}

const natsOf = ({ nats }: Config, deps: Omit<NatsBusDeps, 'settings'>) =>
  nats === undefined ? undefined : createNatsBus({ settings: nats, ...deps })

/** Returns the function that says whether requests to callers' URLs may go to an address. */
const mayReachOf = ({ allowPrivateUrls }: Config) => (allowPrivateUrls ? () => true : isPublic)

type McpDeps = Pick<Parameters<typeof createMcp>[0], 'children' | 'timers' | 'report' | 'problemsOf'>
const mcpOf =
  (config: Config, deps: McpDeps) =>
  (isWorking: (taskId: string) => boolean): Mcp =>
    createMcp({
      configured: config.mcpServers,
      mayReach: mayReachOf(config),
      client: { name: 'reprise', version },
      isWorking,
      ...deps,
    })

type AccessDeps = {
  actors: PrincipalActors
  log: EventLog
  queries: Queries
  world: World
  secrets: Secrets
}
/** Opens access: tokens, the admin token among them, tickets, and links to the console. */
const openAccess = async (config: Config, { secrets, ...deps }: AccessDeps) => {
  const { actors, world } = deps
  const { adminToken } = filesOf(config.dataDir)
  if (config.adminToken === undefined && whatStandsAt(adminToken) === undefined) {
    await recordAdminToken(actors, path.basename(adminToken))
  }
  const principals = createPrincipals(deps, adminTokenOf(config))
  const { clock, random } = world
  return {
    principals,
    tickets: createTickets({ secrets, clock, random, principals }),
    logins: createLogins({ clock, random, principals }),
  }
}

/** The stores of events and secrets on a node of a cluster, which keeps copies of both. */
export type ShardStores = {
  store: Store
  secrets: Secrets
  /** Called when a new audit key is in its file, before the log names this key. */
  keyMade: () => void
}

export type ShardOptions = {
  /** Absent: the real clock and timers. */
  world?: World
  /** True: tasks are not resumed. */
  idle?: boolean
  /** Called at every point where a crash would leave an effect half done. */
  reach?: Reach
  /** Whether the server continues with a log that has lost acknowledged events. */
  acceptLoss?: boolean
  /** When this aborts, the opening ends at its next step, and everything that is open is closed. */
  stopping?: AbortSignal
  inspect?: Inspect | undefined
  /** Absent: the files of the data folder. */
  stores?: ShardStores
}

/** The operator's settings that are passed to the system unchanged, or almost. */
const settingsOf = ({
  model,
  mcpServers,
  sessionIdleSeconds,
  ttls,
  maxRunningTasks,
  quotas,
  retention,
}: Config) => ({
  defaultAgent: defaultAgentOf({ hasModel: model !== undefined }),
  hasMcpServer: (name: string) => mcpServers.has(name),
  sessionIdleSeconds,
  ttls,
  maxRunningTasks,
  quotas,
  retention,
})

/** Rejects with CannotStart, or with the reason of `stopping`. */
export const openShardParts = async (
  config: Config,
  report: Report,
  {
    world = realWorld(),
    idle = false,
    reach,
    acceptLoss = false,
    stopping,
    inspect,
    stores,
  }: ShardOptions = {},
) => {
  const files = filesOf(config.dataDir)
  const roots = { workspace: config.workspaceRoot, rollouts: files.rollouts, logs: files.logs }
  const opened: (() => unknown)[] = []
  try {
    if (stores === undefined) mustHaveItsSecrets(files, acceptLoss, report)
    const metrics = createMetrics()
    const { log, proof } = await openProvenLog(config, {
      ...{ world, metrics, acceptLoss, idle, report },
      store: stores?.store,
      keyMade: stores?.keyMade,
    })
    opened.unshift(() => log.close())
    opened.unshift(() => proof.stop())
    const agents = await createAgents(world, config.model, report)
    const left = leftBehind(log, files, report)
    const stored = stores?.secrets ?? openSecrets(files.secrets, report)
    opened.unshift(() => stored.close())
    const secrets = left?.keeping(stored) ?? stored
    const checker = createSchemaChecker()
    opened.unshift(() => checker.close())
    // This comes before any task is resumed, since processes that are still running may work on the same files.
    const children = await openOwnChildren(files.children, report)
    opened.unshift(() => children.close())
    const protection = idle ? noProtection : protectionOf(config)
    for (const problem of protection.problems) report('warn', problem)
    const memory = createMemoryWatch(world.timers)
    const environments = createEnvironments(
      { children, timers: world.timers, memory, protection, dataDir: config.dataDir },
      config.environments,
    )
    opened.unshift(() => environments.close())
    const codeHosts = openCodeHosts(
      {
        ...{ children, clock: world.clock, timers: world.timers, memory, report, builtin: builtinNames },
        ...{ commandOf: commandOfAgents(config), userFor: protection.userFor },
        listFile: idle ? undefined : files.workers,
      },
      idle ? { ...config.agentHosts, path: undefined } : config.agentHosts,
    )
    opened.unshift(() => codeHosts.close())
    stopping?.throwIfAborted()
    const nats = idle ? undefined : natsOf(config, { log, file: files.nats, timers: world.timers, report })
    const system = await createSystem({
      world,
      log,
      openReadStore: anew => openReadStore(files.readModels, anew),
      secrets,
      agents,
      codeHosts,
      ...settingsOf(config),
      tools: builtinTools(world),
      checker,
      outside: createOutsideFetch({ mayReach: mayReachOf(config) }),
      mcp: mcpOf(config, { children, timers: world.timers, report, problemsOf: checker.problemsOf }),
      environments,
      sessionFolders: createSessionFolders(files.sessions, () => isPinned(files.backups), left?.takeAway),
      roots,
      sessionsRoot: files.sessions,
      nats,
      proof,
      report,
      inspect,
      idle,
      ...(reach === undefined ? {} : { reach }),
    })
    const actors = system.principals
    const access = await openAccess(config, { actors, log, queries: system.tasks.queries, world, secrets })
    return {
      world,
      files,
      roots,
      agents,
      codeHosts,
      checker,
      children,
      environments,
      protection,
      system,
      ...access,
      metrics,
      nats,
      proof,
    }
  } catch (error) {
    for (const close of opened) await close()
    throw error
  }
}
export type ShardParts = Awaited<ReturnType<typeof openShardParts>>
