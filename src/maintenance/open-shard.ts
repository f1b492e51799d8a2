// Opens a log with its read models, its actors, and everything that these need; together they are called a shard. This
// process already holds the lock of the data folder. When a part cannot be opened, all opened parts are closed again.
import path from 'node:path'
import type { Inspect } from '../../actors/runtime/live.ts'
import { openReadStore } from '../../projections/store.ts'
import { createLogins } from '../access/logins.ts'
import { createPrincipals, recordAdminToken } from '../access/principals.ts'
import { createTickets } from '../access/tickets.ts'
import { createAgents } from '../agents/agents.ts'
import { createNatsBus, type NatsBusDeps } from '../bus/nats-bus.ts'
import { adminTokenOf, type Config } from '../config.ts'
import type { Report, World } from '../contract/ports.ts'
import type { Reach } from '../contract/tools.ts'
import { createOutsideFetch } from '../egress/guarded-fetch.ts'
import { isPublic } from '../egress/public-address.ts'
import { createSessionFolders } from '../env-sessions/folders.ts'
import { createEnvironments } from '../environments/environments.ts'
import { findProtection, noProtection } from '../environments/protection.ts'
import { createSchemaChecker } from '../json-schema/checker.ts'
import type { EventLog } from '../log/log.ts'
import type { Store } from '../log/store.ts'
import { createMcp, type Mcp } from '../mcp/mcp.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { openChildren } from '../platform/children/children.ts'
import { filesOf } from '../platform/data-folder.ts'
import { whatStandsAt } from '../platform/plain-file.ts'
import { openSecrets, type Secrets } from '../platform/secrets.ts'
import { version } from '../platform/version.ts'
import { realWorld } from '../platform/world.ts'
import { createSystem } from '../system.ts'
import type { Queries } from '../tasks/queries.ts'
import { builtinTools } from '../tools/builtin.ts'
import { isPinned } from './backup-pins.ts'
import { mustHaveItsSecrets } from './its-secrets.ts'
import { leftBehind } from './left-behind.ts'
import { openProvenLog } from './open-proven-log.ts'

const protectionOf = (config: Config) => {
  const { sessions, rollouts, logs } = filesOf(config.dataDir)
  return findProtection({
    dataDir: config.dataDir,
    sessions,
    ownFolders: [config.workspaceRoot, rollouts, logs],
    modules: config.environments.path,
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

type McpDeps = Pick<Parameters<typeof createMcp>[0], 'children' | 'timers' | 'report'>
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

type AccessDeps = { log: EventLog; queries: Queries; world: World; secrets: Secrets }
/** Opens access: tokens, the admin token among them, tickets, and links to the console. */
const openAccess = async (config: Config, { log, queries, world, secrets }: AccessDeps) => {
  const { adminToken } = filesOf(config.dataDir)
  if (config.adminToken === undefined && whatStandsAt(adminToken) === undefined) {
    await recordAdminToken(log, path.basename(adminToken))
  }
  const principals = createPrincipals({ log, queries, world }, adminTokenOf(config))
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
  defaultAgent: model === undefined ? 'demo' : 'model',
  hasMcpServer: (name: string) => mcpServers.has(name),
  sessionIdleSeconds,
  ttls,
  maxRunningTasks,
  quotas,
  retention,
})

/** Rejects with CannotStart, or with the reason of `stopping`. */
export const openShard = async (
  config: Config,
  report: Report,
  { idle = false, reach, acceptLoss = false, stopping, inspect, stores }: ShardOptions = {},
) => {
  const files = filesOf(config.dataDir)
  const roots = { workspace: config.workspaceRoot, rollouts: files.rollouts, logs: files.logs }
  const opened: (() => unknown)[] = []
  try {
    if (stores === undefined) mustHaveItsSecrets(files, acceptLoss, report)
    const world = realWorld()
    const metrics = createMetrics()
    const { log, proof } = await openProvenLog(config, {
      ...{ world, metrics, acceptLoss, idle, report },
      store: stores?.store,
      keyMade: stores?.keyMade,
    })
    opened.unshift(() => log.close())
    opened.unshift(() => proof.stop())
    const agents = await createAgents(world.timers, config.model, report)
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
    const environments = createEnvironments(
      { children, timers: world.timers, protection, dataDir: config.dataDir },
      config.environments,
    )
    opened.unshift(() => environments.close())
    stopping?.throwIfAborted()
    const nats = idle ? undefined : natsOf(config, { log, file: files.nats, timers: world.timers, report })
    const system = await createSystem({
      world,
      log,
      openReadStore: anew => openReadStore(files.readModels, anew),
      secrets,
      agents,
      ...settingsOf(config),
      tools: builtinTools(world),
      checker,
      outside: createOutsideFetch({ mayReach: mayReachOf(config) }),
      mcp: mcpOf(config, { children, timers: world.timers, report }),
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
    const access = await openAccess(config, { log, queries: system.tasks.queries, world, secrets })
    return {
      world,
      files,
      roots,
      agents,
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
export type Shard = Awaited<ReturnType<typeof openShard>>
