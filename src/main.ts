// The composition root: the only file that knows every part. Opens a data folder, serves it, and lets go of it.
import { setMaxListeners } from 'node:events'
import { createServer } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeSession } from '../actors/env-session/machine.ts'
import { type Inspect, inspectionLine } from '../actors/runtime/live.ts'
import { describeMachine } from '../actors/task/machine.ts'
import { eventsKnownTo } from '../projections/read-only.ts'
import { openReadStore } from '../projections/store.ts'
import { createPrincipals, tellAdminToken } from './access/principals.ts'
import { createTickets } from './access/tickets.ts'
import { demo } from './agents/demo.ts'
import { echo } from './agents/echo.ts'
import { agentList } from './agents/list.ts'
import { model } from './agents/model/model.ts'
import { script } from './agents/script.ts'
import { nextFrame, openFeed, storedFrames } from './bus/feed.ts'
import { createNatsBus } from './bus/nats-bus.ts'
import { adminTokenOf, type Config, checkWorkspaceRoot, isWeak, makeDataDir } from './config.ts'
import type { Agent } from './contract/agent.ts'
import { CannotStart } from './contract/cannot-start.ts'
import type { Report } from './contract/ports.ts'
import { taskStream } from './contract/task-stream.ts'
import type { Reach } from './contract/tools.ts'
import { isPublic } from './egress/public-address.ts'
import { createSessionFolders } from './env-sessions/folders.ts'
import { createEnvironments } from './environments/environments.ts'
import { findProtection, noProtection } from './environments/protection.ts'
import { readWithPauses } from './fairness/slices.ts'
import { createApp } from './http/app.ts'
import { createLongAnswers } from './http/long-answers.ts'
import { createOpenStreams } from './http/open-streams.ts'
import { createSchemaChecker } from './json-schema/checker.ts'
import { openAuditTrail } from './log/audit.ts'
import { lockFolder, shareFile } from './log/lock.ts'
import { openLog } from './log/log.ts'
import { isBegun } from './log/sqlite-file.ts'
import { sqliteStore } from './log/sqlite-store.ts'
import { isPinned } from './maintenance/backup-pins.ts'
import { bringFilesHome } from './maintenance/old-places.ts'
import { goOnShorter } from './maintenance/resumed-log.ts'
import { createMcp } from './mcp/mcp.ts'
import { createMetrics } from './metrics/metrics.ts'
import { built } from './platform/built.ts'
import { openChildren } from './platform/children/children.ts'
import {
  checkPlaces,
  filesOf,
  readServerFile,
  removeServerFile,
  writeServerFile,
} from './platform/data-folder.ts'
import { whatStandsAt } from './platform/plain-file.ts'
import { openSecrets } from './platform/secrets.ts'
import { build, version } from './platform/version.ts'
import { realWorld } from './platform/world.ts'
import { createSystem } from './system.ts'
import { lastFrameOfAnswers } from './tasks/answers.ts'
import { startTelemetry } from './telemetry/follower.ts'
import { tellWork } from './telemetry/told-work.ts'
import { builtinTools } from './tools/builtin.ts'

const printInspection: Inspect = event => void process.stderr.write(inspectionLine(event))

const agentsOf = ({ timers }: ReturnType<typeof realWorld>, config: Config): Map<string, Agent> => {
  const withModel = config.model === undefined ? [] : [model(config.model, config.model.limits, timers)]
  return new Map([echo, script(timers), demo(timers), ...withModel].map(agent => [agent.name, agent]))
}

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

/** Opens the data folder for this process alone; `idle`: its tasks are left as they are. Throws CannotStart. */
export const openFolder = async (
  config: Config,
  report: Report,
  { idle = false, reach, acceptLoss = false }: { idle?: boolean; reach?: Reach; acceptLoss?: boolean } = {},
) => {
  makeDataDir(config.dataDir)
  if (!idle) checkWorkspaceRoot(config)
  checkPlaces(config.dataDir)
  const files = filesOf(config.dataDir)
  const roots = { workspace: config.workspaceRoot, rollouts: files.rollouts, logs: files.logs }
  const unlockFolder = lockFolder(files.lock, () => {
    const url = readServerFile(files.server)?.url
    const who = url === undefined ? 'another process' : `the server at ${url}`
    return `${config.dataDir} is in use by ${who}: stop it, or set another DATA_DIR`
  })
  const letGoOfBuild = shareFile(fileURLToPath(built('in-use.db'))) // build.mjs leaves its files alone
  const unlock = () => {
    letGoOfBuild()
    unlockFolder()
  }
  const opened: (() => unknown)[] = [unlock]
  try {
    const world = realWorld()
    const metrics = createMetrics()
    const known = isBegun(files.log) ? 0 : eventsKnownTo(files.readModels)
    if (known > 0 && !acceptLoss) {
      throw new CannotStart(
        `${files.log} is gone, and read.db knows ${known} events of it: restore it from a backup, or remove read.db to begin anew`,
      )
    }
    const store = metrics.log.store(
      sqliteStore(files.log, () => world.ids.next('log_'), [files.lock, files.secrets]),
    )
    const log = metrics.log.log(openLog(store, { clock: world.clock, random: world.random, build }))
    opened.unshift(() => log.close())
    await goOnShorter(config.dataDir, log, acceptLoss, report)
    log.onCommit(metrics.events.follow)
    if (!idle) await bringFilesHome({ log, roots, mark: files.byUser, report })
    const agents = agentsOf(world, config)
    const secrets = openSecrets(files.secrets, report)
    opened.unshift(() => secrets.close())
    const checker = createSchemaChecker()
    opened.unshift(() => checker.close())
    // Before any task goes on: what an earlier life left running may still work on the same things.
    const children = await openChildren(files.children)
    opened.unshift(() => children.close())
    if (children.killed > 0)
      report('warn', 'processes that a killed server left were killed', { killed: children.killed })
    const protection = idle ? noProtection : protectionOf(config)
    for (const problem of protection.problems) report('warn', problem)
    const environments = createEnvironments(
      { children, timers: world.timers, protection, dataDir: config.dataDir },
      config.environments,
    )
    opened.unshift(() => environments.close())
    const nats =
      config.nats && !idle
        ? createNatsBus({ settings: config.nats, log, file: files.nats, timers: world.timers, report })
        : undefined
    const system = await createSystem({
      world,
      log,
      openReadStore: anew => openReadStore(files.readModels, anew),
      secrets,
      agents,
      tools: builtinTools(world),
      checker,
      mcp: isWorking =>
        createMcp({
          configured: config.mcpServers,
          mayReach: config.allowPrivateUrls ? () => true : isPublic,
          children,
          timers: world.timers,
          report,
          client: { name: 'reprise', version },
          isWorking,
        }),
      environments,
      sessionFolders: createSessionFolders(files.sessions, () => isPinned(files.backups)),
      sessionIdleSeconds: config.sessionIdleSeconds,
      roots,
      sessionsRoot: files.sessions,
      ttls: config.ttls,
      maxRunningTasks: config.maxRunningTasks,
      quotas: config.quotas,
      nats,
      report,
      ...(config.inspectActors ? { inspect: printInspection } : {}),
      idle,
      ...(reach === undefined ? {} : { reach }),
    })
    if (config.adminToken === undefined && whatStandsAt(files.adminToken) === undefined) {
      await tellAdminToken(log, path.basename(files.adminToken))
    }
    const principals = createPrincipals({ log, queries: system.queries, world }, adminTokenOf(config))
    const { clock, random } = world
    const tickets = createTickets({ secrets, clock, random, principals })
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
      principals,
      tickets,
      metrics,
      nats,
      unlock,
    }
  } catch (error) {
    for (const close of opened) await close()
    throw error
  }
}

/** Connections that may wait to be accepted while the event loop is busy; the system may allow fewer. */
const waitingConnections = 4096

/** Asked before anything is opened, so that a taken port changes nothing. */
const checkPort = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new CannotStart(
          error.code === 'EADDRINUSE'
            ? `port ${port} is in use: PORT=${port < 65535 ? port + 1 : port - 1} npm start`
            : `HOST=${host} PORT=${port} cannot be listened on: ${error.message}${error.code === 'EACCES' ? '; take a port above 1023' : ''}`,
        ),
      )
    })
    probe.listen({ host, port }, () => probe.close(() => resolve()))
  })

/** `reach` hears of every point where a crash would leave an effect half done. */
export const startServer = async (config: Config, report: Report, reach?: Reach, acceptLoss = false) => {
  await checkPort(config.host, config.port)
  const folder = await openFolder(config, report, { acceptLoss, ...(reach === undefined ? {} : { reach }) })
  const { system, files, roots, world, principals, tickets, environments, agents, checker, metrics, nats } =
    folder
  const { log, live, queries } = system
  if (isWeak(config.adminToken)) {
    report(
      'warn',
      'ADMIN_TOKEN can be guessed: set one of 32 random characters, as from openssl rand -hex 16',
    )
  }
  if (config.logLevel === 'info' || config.logLevel === 'debug') log.onCommit(tellWork(report))
  const audit = openAuditTrail(files.log, log.head)
  const { wall, ownUsers } = folder.protection
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal) // every open stream and waiting answer listens
  const openStreams = createOpenStreams({ principals, tickets })
  const app = await createApp({
    commands: system.commands,
    queries,
    principals,
    tickets,
    openStreams,
    quotas: system.quotas,
    sessions: system.environments.sessions,
    sessionQueries: system.environments.queries,
    environments: system.kinds,
    sessionMachineOf: describeSession,
    idleSeconds: config.sessionIdleSeconds,
    events: system.events,
    roots,
    agents: {
      names: [...agents.keys()],
      list: agentList([...agents.values()]),
      fallback: config.model === undefined ? 'demo' : 'model',
      hasMcpServer: name => config.mcpServers.has(name),
    },
    problemsOfSchema: checker.problemsOf,
    recall: system.recall,
    audit,
    machineOf: describeMachine,
    afterAnswers: (taskId, callIds) => lastFrameOfAnswers(log, taskStream(taskId), callIds),
    bodyLimit: config.bodyLimit,
    allowedOrigins: config.allowedOrigins,
    newId: () => world.ids.next('req_'),
    newItemId: () => world.ids.next('tr_'),
    streamOf: taskStream,
    loop: system.loop,
    openFeed: (wish, isNew) => metrics.requests.taskStream(openFeed({ log, live }, wish, isNew)),
    storedFrames: (stream, after, pause) =>
      storedFrames(readWithPauses(log.readStream, pause), stream, after),
    longAnswers: createLongAnswers(stopping.signal, system.loop),
    nextFrame: stream => nextFrame(log, stream),
    notDelivered: system.idempotency.notDelivered,
    readiness: () => ({
      log: log.isFailing() ? 'failing' : 'ok',
      read_models: queries.isCurrent() ? 'ok' : 'behind',
      sandbox: wall,
      own_users: ownUsers,
      position: queries.headPosition(),
      tasks: { ...queries.taskCounts(), ...system.scheduler.counts() },
    }),
    requests: metrics.requests,
    metrics: metrics.exposition({
      taskCounts: queries.taskCounts,
      places: system.scheduler.counts,
      headPosition: log.head,
      isLogFailing: log.isFailing,
      lag: system.lag,
      quotas: system.quotaCounts,
      ...(nats === undefined ? {} : { nats: nats.counts }),
    }),
    stopping: stopping.signal,
    report,
    verbose: config.logLevel === 'debug',
    fault: (error, about) =>
      report('error', 'internal error', {
        ...about,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  })
  const letGo = async () => {
    audit.close()
    await system.close()
    environments.close()
    await folder.children.close()
    removeServerFile(files.server)
    folder.unlock()
  }
  await app
    .listen({ host: config.host, port: config.port, backlog: waitingConnections })
    .catch(async error => {
      await letGo()
      throw new CannotStart(`HOST=${config.host} PORT=${config.port} cannot be listened on: ${error.message}`)
    })
  nats?.start()
  const telemetry =
    config.telemetry &&
    startTelemetry({ log, file: files.telemetry, settings: config.telemetry, timers: world.timers, report })
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const url = `http://${host}:${port}`

  let stopped: Promise<void> | undefined
  /** Refuses new work, breaks streams off, lets running steps finish, then closes the log. */
  const stop = (patienceMs = config.drainSeconds * 1000): Promise<void> => {
    stopped ??= (async () => {
      stopping.abort()
      await system.drain(patienceMs)
      app.server.closeIdleConnections()
      setTimeout(() => app.server.closeAllConnections(), 500).unref()
      await app.close()
      openStreams.stop()
      await Promise.all([telemetry?.stop(), nats?.stop()])
      await letGo()
    })()
    return stopped
  }
  try {
    writeServerFile(files.server, { url, pid: process.pid })
  } catch (error) {
    await stop(0).catch(() => {})
    throw new CannotStart(`${files.server} cannot be written: ${(error as Error).message}`)
  }
  return {
    url,
    wall,
    ownUsers,
    resumed: system.resumed,
    running: () => system.runtime.busy(),
    stop,
    system,
  }
}
export type Server = Awaited<ReturnType<typeof startServer>>
