// Serves a data folder over HTTP: opens it, puts the door in front of it, and stops in order.
import { setMaxListeners } from 'node:events'
import { describeSession } from '../actors/env-session/machine.ts'
import { describeMachine } from '../actors/task/machine.ts'
import { agentList } from './agents/list.ts'
import { type Config, isWeak } from './config.ts'
import { CannotStart } from './contract/cannot-start.ts'
import type { Report } from './contract/ports.ts'
import { taskStream } from './contract/task-stream.ts'
import type { Reach } from './contract/tools.ts'
import { createApp } from './http/app.ts'
import { createLongAnswers } from './http/long-answers.ts'
import { createOpenStreams } from './http/open-streams.ts'
import { checkPort, waitingConnections } from './http/port.ts'
import { openAuditTrail } from './log/audit.ts'
import { openFolder } from './maintenance/open-folder.ts'
import { removeServerFile, writeServerFile } from './platform/data-folder.ts'
import { startTelemetry } from './telemetry/follower.ts'
import { tellWork } from './telemetry/told-work.ts'

/** `reach` hears of every point where a crash would leave an effect half done. */
export const startServer = async (config: Config, report: Report, reach?: Reach, acceptLoss = false) => {
  await checkPort(config.host, config.port)
  const folder = await openFolder(config, report, { acceptLoss, ...(reach === undefined ? {} : { reach }) })
  const { system, files, roots, world, principals, tickets, environments, agents, checker, metrics, nats } =
    folder
  const { log, tasks, bus, fairness } = system
  const { queries } = tasks
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
    serving: {
      principals,
      tickets,
      openStreams,
      quotas: fairness.quotas,
      longAnswers: createLongAnswers(stopping.signal, fairness.loop),
      stopping: stopping.signal,
      newId: () => world.ids.next('req_'),
      fault: (error, about) =>
        report('error', 'internal error', {
          ...about,
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        }),
    },
    gate: {
      allowedOrigins: config.allowedOrigins,
      loop: fairness.loop,
      requests: metrics.requests,
      report,
      verbose: config.logLevel === 'debug',
    },
    tasks: {
      commands: tasks.commands,
      queries,
      recall: tasks.recall,
      roots,
      agents: {
        names: [...agents.keys()],
        fallback: config.model === undefined ? 'demo' : 'model',
        hasMcpServer: name => config.mcpServers.has(name),
      },
      machineOf: describeMachine,
      afterAnswers: tasks.streams.afterAnswers,
      problemsOfSchema: checker.problemsOf,
      bodyLimit: config.bodyLimit,
      newItemId: () => world.ids.next('tr_'),
      streamOf: taskStream,
      openFeed: (wish, isNew) => metrics.requests.taskStream(tasks.streams.open(wish, isNew)),
      storedFrames: tasks.streams.stored,
      nextFrame: tasks.streams.next,
      notDelivered: tasks.idempotency.notDelivered,
    },
    sessions: {
      sessions: system.environments.sessions,
      sessionQueries: system.environments.queries,
      sessionMachineOf: describeSession,
      idleSeconds: config.sessionIdleSeconds,
    },
    environments: { sessions: system.environments.sessions, environments: system.kinds },
    agents: agentList([...agents.values()]),
    events: bus.events,
    audit: { audit, queries },
    state: {
      readiness: () => ({
        log: log.isFailing() ? 'failing' : 'ok',
        read_models: queries.isCurrent() ? 'ok' : 'behind',
        sandbox: wall,
        own_users: ownUsers,
        position: queries.headPosition(),
        tasks: { ...queries.taskCounts(), ...tasks.scheduler.counts() },
      }),
      metrics: metrics.exposition({
        taskCounts: queries.taskCounts,
        places: tasks.scheduler.counts,
        headPosition: log.head,
        isLogFailing: log.isFailing,
        lag: system.lag,
        quotas: fairness.counts,
        ...(nats === undefined ? {} : { nats: nats.counts }),
      }),
    },
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
    running: () => tasks.runtime.busy(),
    stop,
    system,
  }
}
export type Server = Awaited<ReturnType<typeof startServer>>
