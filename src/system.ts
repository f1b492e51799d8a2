// Everything but the network, put together: the log, its readers, the actors, and the two doors.

import type { SessionFolders } from '../actors/env-session/instances.ts'
import type { Inspect } from '../actors/runtime/live.ts'
import { createRuntime } from '../actors/runtime/runtime.ts'
import { taskKind } from '../actors/task/actor.ts'
import { deadlineOf } from '../actors/task/decide.ts'
import type { Ttls } from '../actors/task/facts.ts'
import { createRunningCalls } from '../actors/task/running-calls.ts'
import { createScheduler, type Place } from '../actors/task/scheduler.ts'
import { misfitOf } from '../projections/projector.ts'
import { createReadModels } from '../projections/read-models.ts'
import type { ReadStore } from '../projections/store.ts'
import { isTicket } from './access/tickets.ts'
import { type Roots, userFolder, workspaceOf } from './access/user-folders.ts'
import { createEvents } from './bus/events.ts'
import { createLive } from './bus/live.ts'
import type { NatsBus } from './bus/nats-bus.ts'
import type { Agent } from './contract/agent.ts'
import { CannotStart } from './contract/cannot-start.ts'
import { envSessionStream, streamOfStepSecret } from './contract/env-session-events.ts'
import type { Report, World } from './contract/ports.ts'
import { Refusal } from './contract/refusals.ts'
import { DamagedEvent, StorageFailure } from './contract/stored.ts'
import { taskEnds } from './contract/task-events.ts'
import { taskIdOf, taskStream } from './contract/task-stream.ts'
import type { Reach, Tool } from './contract/tools.ts'
import { type EnvironmentKinds, withMcp } from './env-sessions/kinds.ts'
import { createSessionQueries } from './env-sessions/queries.ts'
import { createSessionSystem } from './env-sessions/system.ts'
import { createSessionTools } from './env-sessions/tools.ts'
import { createDiskUse } from './fairness/disk/disk-use.ts'
import { createWalker } from './fairness/disk/walker.ts'
import { createLoopShares } from './fairness/loop-shares.ts'
import { createQuotas, type QuotaLimits } from './fairness/quotas.ts'
import type { SchemaChecker } from './json-schema/checker.ts'
import type { EventLog } from './log/log.ts'
import type { Mcp } from './mcp/mcp.ts'
import type { Secrets } from './platform/secrets.ts'
import { createCommands } from './tasks/commands.ts'
import { createTaskFiles } from './tasks/files.ts'
import { createIdempotency } from './tasks/idempotency.ts'
import { createQueries } from './tasks/queries.ts'
import { createRecall } from './tasks/recall.ts'
import { answerProblem } from './tasks/structured-output.ts'
import { keepTools } from './tasks/tool-lists.ts'
import { createToolbox } from './tasks/toolbox.ts'

export type SystemParts = {
  world: World
  log: EventLog
  /** Opens the read models; `anew` throws away what is there. */
  openReadStore: (anew: boolean) => ReadStore
  secrets: Secrets
  agents: Map<string, Agent>
  tools: Tool[]
  checker: SchemaChecker
  /** The tools of MCP servers, made when it can be told whether a task works; absent: there are none. */
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
  /** Carries events to those who follow them; absent: they are told what is committed. */
  nats?: Pick<NatsBus, 'join'> | undefined
  report: Report
  /** Sees what running actors do. */
  inspect?: Inspect
  /** Leaves the tasks of the log alone: for a command that only wants the doors. */
  idle?: boolean
  /** Told of every point where a crash would leave an effect half done; tests stop there. */
  reach?: Reach
}

const sweepMs = 250
const retryMs = 1000

export const createSystem = async (parts: SystemParts) => {
  const { world, log, secrets, report } = parts
  const startedAt = world.clock.now()
  let draining = false
  let closed = false

  const follow = async (anew: boolean) => {
    const store = parts.openReadStore(anew)
    try {
      const misfit = misfitOf(store, log)
      if (misfit !== undefined) throw new Error(misfit)
      const projector = createReadModels(store, log, world.timers, report)
      await projector.catchUp()
      // A look at what everything else starts from.
      const asked = { ...projector, reading: <T>(ask: () => T): T => ask() }
      const found = createQueries(store, asked, log)
      found.unfinished()
      found.tokens()
      createSessionQueries(store, asked).active()
      return { store, projector }
    } catch (error) {
      store.close()
      throw error
    }
  }
  // Read models that cannot be gone on with, whatever is wrong with them, hold nothing that the log does not hold.
  const { store, projector } = await follow(false).catch(error => {
    if (error instanceof CannotStart) throw error
    if (error instanceof DamagedEvent)
      throw new CannotStart(`log.db is damaged: ${error.message}; restore it from a backup`)
    report('warn', `the read models are rebuilt: ${error instanceof Error ? error.message : String(error)}`)
    return follow(true)
  })
  const live = createLive()
  const quotas = createQuotas(parts.quotas)
  const disk = createDiskUse({
    walker: createWalker(world.timers),
    foldersOf: user =>
      [...Object.values(parts.roots), parts.sessionsRoot].map(root => userFolder(root, user)),
    limit: parts.quotas.disk,
    isBound: user => queries.hasToken(user),
    refusal: quotas.overDisk,
    clock: world.clock,
    timers: world.timers,
    report,
  })
  log.onCommit(projector.follow)
  log.onCommit(quotas.follow)
  const loop = createLoopShares(world.timers)
  const events = createEvents(log, loop)
  const telling = parts.nats?.join(events) ?? { commit: events.publish, lookAgain: events.lookAgain }
  log.onCommit(live.publish)
  log.onCommit(telling.commit)

  const queries = createQueries(store, projector, log)
  const idempotency = createIdempotency(queries, world.clock)
  const fault = (error: unknown) => {
    // The log has told of its own failures, and a refusal only means that the task has moved on.
    if (error instanceof Refusal || error instanceof StorageFailure) return
    report('error', 'an effect could not report', {
      error: error instanceof Error ? error.stack : String(error),
    })
  }
  const scheduler = createScheduler(parts.maxRunningTasks, (place: Place) => commands.start(place))
  const calls = createRunningCalls()
  const mcp = parts.mcp?.(taskId => {
    for (const view of runtime.views()) if (view.created?.task_id === taskId) return view.status === 'working'
    return false
  })
  if (mcp !== undefined) {
    log.onCommit(events => {
      for (const { header } of events) if (taskEnds.has(header.type)) mcp.ended(taskIdOf(header.stream))
    })
  }
  const kinds = mcp === undefined ? parts.environments : withMcp(parts.environments, mcp.environment)
  const environments = createSessionSystem({
    world,
    log,
    store,
    projector,
    secrets,
    checker: parts.checker,
    environments: kinds,
    folders: parts.sessionFolders,
    quotas,
    disk,
    idleSeconds: parts.sessionIdleSeconds,
    isNamed: ({ id, userId }) =>
      queries.unfinished().some(row => row.session_id === id && row.user_id === userId),
    onFault: fault,
  })
  const kind = taskKind({
    world,
    log,
    agents: name => parts.agents.get(name),
    tools: createToolbox({
      builtin: parts.tools,
      agents: [...parts.agents.keys()],
      checker: parts.checker,
      session: createSessionTools(environments.sessions),
      mcp: mcp ?? { list: async () => [], find: async () => undefined },
    }),
    keepTools: keepTools(log),
    calls,
    children: {
      ended: stream => commands.children.ended(stream),
      cancel: (stream, cause) => commands.children.cancel(stream, cause),
    },
    answerProblem: answerProblem(parts.checker),
    secrets: ref => secrets.get(ref),
    forgetSecrets: ref => secrets.forget(ref),
    scheduler,
    // An agent that works for one user is bound as that user is.
    reserve: child => {
      const principal = queries.rowById(child.root_task_id ?? '')?.principal
      const isBound = principal === undefined || queries.userOfPrincipal(principal) !== undefined
      return quotas.reserveTask(child.task_id, child.user_id, isBound)
    },
    ttls: parts.ttls,
    workspaceOf: created => ({
      ...workspaceOf(parts.roots.workspace, created),
      disk: disk.shareOf(created.user_id),
    }),
    turnOf: loop.enter,
    draining: () => draining,
    reach: parts.reach ?? (() => {}),
  })
  const runtime = createRuntime(log, kind, world.timers, fault, parts.inspect)
  const commands = createCommands({
    runtime,
    scheduler,
    queries,
    idempotency,
    secrets,
    quotas,
    ids: world.ids,
    ready: log.retry,
    isLogAway: log.isFailing,
  })

  /** Everybody's place, and what everybody has, as the log says. */
  const takePlaces = () => {
    const unfinished = queries.unfinished()
    quotas.fill(unfinished, environments.queries.active())
    scheduler.reset()
    for (const { id, user_id, session_id, status, subtask } of unfinished) {
      const waits = status === 'queued' || status === 'created'
      if (subtask === 1 || (status !== 'working' && !waits)) continue
      scheduler.fill({ taskId: id, userId: user_id, sessionId: session_id }, status === 'working')
    }
  }

  /** Takes up what is unfinished; safe to call again. The answer: how many tasks there are. */
  const goOn = async (): Promise<number> => {
    const rows = queries.unfinished()
    const sessions = environments.queries.active()
    const named = new Set([...rows, ...sessions].flatMap(row => row.secret_ref ?? []))
    const active = new Set(sessions.map(({ id }) => envSessionStream(id)))
    secrets.sweep(ref => named.has(ref) || isTicket(ref) || active.has(streamOfStepSecret(ref)))
    const working = rows.filter(row => row.status === 'working')
    for (const { id } of working) {
      if (closed) return 0
      await runtime.activate(taskStream(id)).catch(error => {
        const at = error instanceof DamagedEvent ? error.message : String(error)
        report('error', `task ${id} cannot go on: ${at}`)
      })
    }
    if (!closed) scheduler.begin()
    return rows.length
  }

  // What a failed write left behind is known to the read models before anything is asked of them again; then
  // the actors that the failure put away come back.
  log.onReopened(async () => {
    await projector.catchUp()
    takePlaces()
    live.lookAgain()
    telling.lookAgain()
    report('warn', 'the event log can be written again')
    setImmediate(() => {
      if (!closed) goOn().catch(error => report('error', 'recovery failed', { error: String(error) }))
    })
  })

  /** Deadlines: stored ones from the read model, those of working tasks from the actors themselves. */
  const expireOverdue = (): void => {
    if (draining || log.isFailing() || !projector.isCurrent()) return
    const now = world.clock.now()
    const overdue = queries.overdue(now)
    for (const view of runtime.views()) {
      if (view.status !== 'working' || view.created === undefined) continue
      if ((deadlineOf(view, startedAt) ?? Number.POSITIVE_INFINITY) <= now) overdue.push(view.created.task_id)
    }
    for (const taskId of overdue) commands.expire(taskId, startedAt).catch(fault)
  }
  const recall = createRecall(log, queries, world.clock)
  const taskFiles = createTaskFiles({
    kinds: {
      rollouts: { root: parts.roots.rollouts, lines: recall.rollouts },
      log: { root: parts.roots.logs, lines: recall.logLines },
    },
    queries,
    shareOf: disk.shareOf,
    clock: world.clock,
    report,
  })
  const sweep = async () => {
    expireOverdue()
    if (!draining && !log.isFailing() && projector.isCurrent()) await taskFiles.write()
  }
  const stopSweeping = parts.idle ? () => {} : world.timers.every(sweepMs, () => void sweep().catch(fault))
  let catchingUp = false
  const catchUpAgain = () => {
    if (catchingUp) return
    catchingUp = true
    projector.catchUp().then(
      () => {
        catchingUp = false
        report('warn', 'the read models have caught up')
      },
      () => {
        catchingUp = false
      },
    )
  }
  const stopRetrying = world.timers.every(retryMs, () => {
    const trouble = log.check()
    if (trouble !== undefined) {
      report('error', `${trouble}: nothing more is stored; put it back, or start the server again`)
    }
    if (log.isFailing()) log.retry().catch(() => {})
    else if (!projector.isCurrent()) catchUpAgain()
  })

  log.check() // how the files are now
  if (!parts.idle) takePlaces()
  if (!parts.idle) await environments.start()
  const resumed = parts.idle ? 0 : await goOn()

  return {
    log,
    live,
    events,
    queries,
    environments,
    /** Every kind of environment. */
    kinds,
    recall,
    commands,
    runtime,
    scheduler,
    idempotency,
    loop,
    quotas,
    quotaCounts: () => {
      const { refused, used } = quotas.counts()
      return { refused, used: { ...used, disk: disk.total() } }
    },
    projector,
    resumed,
    expireOverdue,
    /** How many positions the read models are behind the log. */
    lag: () => (projector.isCurrent() ? 0 : log.head() - projector.reached()),
    /** From now on running steps may finish and none begins; resolves when none runs or after `ms`. */
    async drain(ms: number): Promise<void> {
      draining = true
      const until = Date.now() + ms
      const busy = () => runtime.busy() + environments.busy()
      while (busy() > 0 && Date.now() < until) await new Promise(resolve => setTimeout(resolve, 10))
    },
    async close(): Promise<void> {
      draining = true
      closed = true
      stopSweeping()
      stopRetrying()
      runtime.stop()
      calls.stop()
      await mcp?.close()
      await environments.stop()
      await taskFiles.stop()
      await disk.close()
      await parts.checker.close()
      await log.settled()
      projector.flush() // what it writes down last it still reads from the log
      await log.close()
      store.close()
      secrets.close()
    },
  }
}
export type System = Awaited<ReturnType<typeof createSystem>>
