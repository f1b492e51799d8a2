// Serves a data folder over HTTP: opens it, starts the HTTP server, and stops everything in order.
import { setMaxListeners } from 'node:events'
import { describeCronJob } from '../actors/cron/machine.ts'
import { describeSession } from '../actors/env-session/machine.ts'
import { inspectionMessage } from '../actors/runtime/inspection.ts'
import type { Inspect } from '../actors/runtime/live.ts'
import { describeMachine } from '../actors/task/machine.ts'
import { createReads, noReads, type Reads } from './access/reads.ts'
import { agentList } from './agents/list.ts'
import { type Config, isWeak } from './config.ts'
import { CannotStart } from './contract/cannot-start.ts'
import type { Report } from './contract/ports.ts'
import { taskStream } from './contract/task-stream.ts'
import type { Reach } from './contract/tools.ts'
import { type AppDeps, createApp } from './http/app.ts'
import type { ExportDoor, ProofDoor, Serving, StateDoor, TaskDoor } from './http/doors.ts'
import { createLongAnswers } from './http/long-answers.ts'
import { createOpenStreams } from './http/open-streams.ts'
import { checkPort, waitingConnections } from './http/port.ts'
import { openAuditTrail } from './log/audit.ts'
import type { EventLog } from './log/log.ts'
import { type Folder, openFolder } from './maintenance/open-folder.ts'
import { createSentExports } from './maintenance/sent-export.ts'
import { removeServerFile, writeServerFile } from './platform/data-folder.ts'
import { startInspector } from './platform/inspector.ts'
import { startTelemetry } from './telemetry/follower.ts'
import { workLines } from './telemetry/work-lines.ts'

/** Records who read which tasks, if the operator wants that. */
const readsOf = ({ auditReads }: Config, { system, world }: Folder, report: Report): Reads =>
  auditReads ? createReads({ log: system.log, clock: world.clock, timers: world.timers, report }) : noReads

const servingOf = (folder: Folder, reads: Reads, stopping: AbortSignal, report: Report): Serving => {
  const { principals, tickets, logins, world, system } = folder
  return {
    principals,
    tickets,
    logins,
    openStreams: createOpenStreams({ principals, tickets }),
    quotas: system.fairness.quotas,
    longAnswers: createLongAnswers(stopping, system.fairness.loop, () =>
      system.fairness.quotas.countRefusal('answers'),
    ),
    reads,
    stopping,
    newId: () => world.ids.next('req_'),
    fault: (error, about) =>
      report('error', 'a request failed because of a defect of the server', {
        ...about,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  }
}

const taskDoorOf = (config: Config, { system, metrics, world }: Folder): TaskDoor => {
  const { commands, queries, recall, requests, streams, idempotency } = system.tasks
  return {
    commands,
    queries,
    recall,
    requests,
    machineOf: describeMachine,
    afterAnswers: streams.afterAnswers,
    bodyLimit: config.bodyLimit,
    newItemId: () => world.ids.next('tr_'),
    streamOf: taskStream,
    openFeed: (request, isNew) => metrics.requests.taskStream(streams.open(request, isNew)),
    storedFrames: streams.stored,
    nextFrame: streams.next,
    notDelivered: idempotency.notDelivered,
  }
}

const stateDoorOf = ({ system, protection, metrics, nats, proof }: Folder): StateDoor => {
  const { log, fairness, lag, webhooks } = system
  const { queries, scheduler } = system.tasks
  return {
    readiness: () => ({
      log: log.isFailing() ? 'failing' : 'ok',
      read_models: queries.isCurrent() ? 'ok' : 'behind',
      sandbox: protection.wall,
      own_users: protection.ownUsers,
      position: queries.headPosition(),
      tasks: { ...queries.taskCounts(), ...scheduler.counts() },
    }),
    metrics: metrics.exposition({
      taskCounts: queries.taskCounts,
      places: scheduler.counts,
      headPosition: log.head,
      isLogFailing: log.isFailing,
      lag,
      quotas: fairness.counts,
      webhooks: webhooks.counts,
      cron: system.cron.counts,
      proof: proof.counts,
      erasures: system.erasures.counts,
      ...(nats === undefined ? {} : { nats: nats.counts }),
    }),
  }
}

const proofDoorOf = ({ proof: { checkpointer, signer, key, tree } }: Folder): ProofDoor => ({
  newest: checkpointer.newest,
  keys: key.known,
  tree,
  rotate: signer.rotate,
})

const exportDoorOf = ({ files, system, proof, world }: Folder): ExportDoor => ({
  ...createSentExports({
    files,
    head: system.log.head,
    covering: proof.checkpointer.covering,
    newId: () => world.ids.next(''),
  }),
  queries: system.tasks.queries,
})

/** The services of an open data folder, grouped by the routes that use them. */
const doorsOf = (
  config: Config,
  folder: Folder,
  { serving, audit, report }: { serving: Serving; audit: AuditTrail; report: Report },
): AppDeps => {
  const { system, agents, metrics } = folder
  const { sessions, queries: sessionQueries } = system.environments
  return {
    serving,
    gate: {
      allowedOrigins: config.allowedOrigins,
      loop: system.fairness.loop,
      requests: metrics.requests,
      report,
      verbose: config.logLevel === 'debug',
    },
    state: stateDoorOf(folder),
    tasks: taskDoorOf(config, folder),
    sessions: {
      sessions,
      sessionQueries,
      sessionMachineOf: describeSession,
      idleSeconds: config.sessionIdleSeconds,
    },
    environments: { sessions, environments: system.kinds },
    cron: { ...system.cron, machineOf: describeCronJob },
    agents: agentList([...agents.values()]),
    events: system.bus.events,
    webhooks: system.webhooks,
    audit: { audit, queries: system.tasks.queries },
    erasures: system.erasures,
    proof: proofDoorOf(folder),
    exports: exportDoorOf(folder),
  }
}

/**
 * Warns of a weak admin token. At the log levels `info` and `debug`, reports from now on what tasks and sessions do.
 */
const reportWork = (config: Config, log: EventLog, report: Report): void => {
  if (isWeak(config.adminToken)) {
    report(
      'warn',
      'ADMIN_TOKEN can be guessed: set it to 32 random characters, for example the output of openssl rand -hex 16',
    )
  }
  if (config.logLevel === 'info' || config.logLevel === 'debug') log.onCommit(workLines(report))
}

type AuditTrail = ReturnType<typeof openAuditTrail>
type HttpApp = Awaited<ReturnType<typeof createApp>>

/** Begins to accept connections, and resolves to the URL of the server. Rejects with CannotStart. */
const listen = async (app: HttpApp, { host, port }: Config): Promise<string> => {
  await app.listen({ host, port, backlog: waitingConnections }).catch(error => {
    throw new CannotStart(`the server cannot listen on HOST=${host} PORT=${port}: ${error.message}`)
  })
  const address = app.server.address()
  const listening = typeof address === 'object' && address !== null ? address.port : port
  return `http://${host.includes(':') ? `[${host}]` : host}:${listening}`
}

/** For developers: a page that shows what running actors do. */
const openInspector = async ({ inspectActors }: Config, report: Report) => {
  if (!inspectActors) return undefined
  const { url, show, close } = await startInspector()
  report('warn', 'running actors are shown on a page, with texts of users', { url })
  const inspect: Inspect = event => {
    const message = inspectionMessage(event)
    if (message !== undefined) show(message)
  }
  return { inspect, close }
}
type OpenInspector = Awaited<ReturnType<typeof openInspector>>

type Opened = { folder: Folder; audit: AuditTrail; reads: Reads; inspector: OpenInspector }

/** Closes everything that a server has open except its port. The lock of the folder is released last. */
const closeFolder = async ({ folder, audit, reads, inspector }: Opened): Promise<void> => {
  audit.close()
  await reads.stop()
  await folder.system.close()
  folder.environments.close()
  await folder.children.close()
  await inspector?.close()
  removeServerFile(folder.files.server)
  folder.unlock()
}

type Running = Opened & {
  app: HttpApp
  serving: Serving
  stopping: AbortController
  telemetry: { stop(): Promise<void> } | undefined
}

/**
 * Lets running steps finish for up to `patienceMs`, refuses new work, ends open streams, and then closes the folder.
 */
const stopServer = async (
  { app, serving, stopping, telemetry, ...opened }: Running,
  patienceMs: number,
): Promise<void> => {
  const { folder } = opened
  stopping.abort()
  await folder.system.drain(patienceMs)
  app.server.closeIdleConnections()
  setTimeout(() => app.server.closeAllConnections(), 500).unref()
  await app.close()
  serving.openStreams.stop()
  await Promise.all([telemetry?.stop(), folder.nats?.stop()])
  await closeFolder(opened)
}

/**
 * Starts the server. `reach` is called at every point where a crash would leave an effect half done. `acceptLoss`:
 * continues with a log that has lost acknowledged events. Rejects with CannotStart.
 */
export const startServer = async (config: Config, report: Report, reach?: Reach, acceptLoss = false) => {
  await checkPort(config.host, config.port)
  const inspector = await openInspector(config, report)
  const folder = await openFolder(config, report, {
    acceptLoss,
    inspect: inspector?.inspect,
    ...(reach === undefined ? {} : { reach }),
  }).catch(async error => {
    await inspector?.close()
    throw error
  })
  const { system, files, world, protection, nats } = folder
  const { log, tasks } = system
  reportWork(config, log, report)
  const audit = openAuditTrail(files.log, log.head)
  const reads = readsOf(config, folder, report)
  const opened = { folder, audit, reads, inspector }
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal) // every open stream and every waiting request adds a listener
  const serving = servingOf(folder, reads, stopping.signal, report)
  const app = await createApp(doorsOf(config, folder, { serving, audit, report }))
  const url = await listen(app, config).catch(async error => {
    await closeFolder(opened)
    throw error
  })
  if (nats !== undefined) folder.proof.signer.onNew(({ text }) => nats.publishCheckpoint(text))
  nats?.start()
  const telemetry =
    config.telemetry &&
    startTelemetry({ log, file: files.telemetry, settings: config.telemetry, timers: world.timers, report })
  const running = { ...opened, app, serving, stopping, telemetry }

  let stopped: Promise<void> | undefined
  const stop = (patienceMs = config.drainSeconds * 1000): Promise<void> => {
    stopped ??= stopServer(running, patienceMs)
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
    wall: protection.wall,
    ownUsers: protection.ownUsers,
    resumed: system.resumed,
    running: () => tasks.runtime.busy(),
    /** The path of a one-time link to the console, for its administrator. */
    consoleLink: () => `/ui#login=${folder.logins.issue({ id: 'admin' }).ticket}`,
    stop,
    system,
  }
}
export type Server = Awaited<ReturnType<typeof startServer>>
