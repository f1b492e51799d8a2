// Wires everything for tasks: actors, command and query service, recall, files, and the work that is due at certain
// times.
import type { Inspect } from '../../actors/runtime/logic.ts'
import { createRuntime } from '../../actors/runtime/runtime.ts'
import { taskKind } from '../../actors/task/actor.ts'
import { createRunningCalls } from '../../actors/task/calls/running-calls.ts'
import { taskEvents } from '../contract/decoders/task.ts'
import type { Report } from '../contract/ports.ts'
import { taskIdOf, taskStream } from '../contract/task-stream.ts'
import type { Sessions } from '../env-sessions/commands.ts'
import type { Once } from '../once/once.ts'
import { createAlarm } from '../platform/time/alarm.ts'
import { prepareTask } from './commands/prepared-task.ts'
import { type CreateRequest, createCommands } from './commands.ts'
import { createExpiry } from './expiry.ts'
import { createTaskFiles } from './files.ts'
import { createIdempotency } from './idempotency.ts'
import { codesOf, type KindDeps, taskDepsOf } from './kind.ts'
import { questionProblems } from './question-problems.ts'
import { createRecall } from './recall.ts'
import { createTaskRecovery } from './recovery.ts'
import { createRequestReader } from './request-reader.ts'
import { createTaskStreams } from './streams.ts'

/** Milliseconds until a task that could not be woken is tried again. */
const wakeAgainMs = 1000
/** Milliseconds after which waiting tasks say that the hosts of their agents have come or gone. */
const awaitsMs = 1000

type Deps = KindDeps & {
  /** When this server started. */
  startedAt: number
  report: Report
  copySession: Sessions['fork']
  once: Once
  /** Whether the server never sends a request to a URL. */
  isRefused: (url: string) => boolean
  inspect?: Inspect | undefined
  onFault: (error: unknown) => void
}

export const createTasks = (deps: Deps) => {
  const { world, log, queries, secrets, scheduler, quotas, roots, report, startedAt, onFault } = deps
  const { clock, timers, ids } = world
  const idempotency = createIdempotency(deps.once, queries)
  const calls = createRunningCalls()
  const ofActors = taskDepsOf(deps, calls)
  const codeOf = codesOf(deps)
  const at = () => ({ now: clock.now(), ttls: deps.ttls, codeOf, isServed: deps.isServed })
  const runtime = createRuntime({
    log,
    kind: taskKind(ofActors),
    timers,
    onFault,
    inspect: deps.inspect,
  })
  // A task in memory has its own timers. This alarm loads the others, which then find that their time has come.
  const alarm = createAlarm({
    clock,
    timers,
    isHeld: () => deps.isDraining() || log.isFailing(),
    onDue: async id => {
      try {
        await runtime.activate(taskStream(id))
      } catch (error) {
        onFault(error)
        alarm.set(id, clock.now() + wakeAgainMs)
      }
    },
  })
  log.onCommit(events => {
    for (const event of events) {
      const { type, stream } = event.header
      if (type !== 'AgentWaits' && type !== 'InputRequired') continue // most events are others, and need no decoding
      const found = taskEvents.find(event)
      if (found?.type !== 'AgentWaits' && found?.type !== 'InputRequired') continue
      if (found.data.until !== undefined) alarm.set(taskIdOf(stream), found.data.until)
    }
  })
  const requests = createRequestReader({
    roots,
    agentsOf: deps.agentsOf,
    problemsOfSchema: deps.checker.problemsOf,
    isRefused: deps.isRefused,
  })
  const creating = {
    runtime,
    scheduler,
    queries,
    idempotency,
    secrets,
    quotas,
    ids,
    forking: {
      read: log.readStream,
      requests,
      workspace: roots.workspace,
      at,
      copySession: deps.copySession,
    },
    log,
    approving: ofActors,
    questionProblems: questionProblems(deps.checker),
  }
  const commands = createCommands(creating)
  scheduler.onTurn(commands.start)
  scheduler.onAwaits((place, isAwaiting) => {
    if (!deps.agents.has(place.agent) && !deps.isDraining() && !log.isFailing())
      commands.awaits(place, isAwaiting)
  })
  // A host that goes is often replaced within a moment.
  let isTelling = false
  const tellAwaitsSoon = () => {
    if (isTelling) return
    isTelling = true
    timers.after(awaitsMs, () => {
      isTelling = false
      scheduler.tellAwaits()
    })
  }
  deps.codeAgents?.onChanged(() => {
    scheduler.lookAgain()
    tellAwaitsSoon()
  })
  const recall = createRecall(log, queries, clock)
  const files = createTaskFiles({
    kinds: {
      rollouts: { root: roots.rollouts, lines: recall.rolloutLines },
      log: { root: roots.logs, lines: recall.logLines },
    },
    queries,
    shareOf: deps.disk.shareOf,
    clock,
    report,
  })
  const expire = createExpiry({ runtime, commands, queries, clock, startedAt, onFault })
  const maySweep = () => !deps.isDraining() && !log.isFailing() && queries.isCurrent()
  return {
    queries,
    commands,
    recall,
    /** Reads the bodies of creates. */
    requests,
    /** What a decision about a task may look at now. */
    at,
    /** Prepares a task that an actor of another kind stores in its own append. */
    prepare: (wanted: CreateRequest, userId: string) => prepareTask(creating, wanted, userId),
    streams: createTaskStreams(log, queries.folds),
    idempotency,
    scheduler,
    runtime,
    files,
    ...createTaskRecovery({ ...deps, runtime, alarm, tellAwaitsSoon }),
    expireOverdue(): void {
      if (maySweep()) expire()
    },
    /** Does what is due: expires tasks whose time has run out, and writes files of ended tasks. */
    async sweep(): Promise<void> {
      if (!maySweep()) return
      expire()
      await files.write()
    },
    stop(): void {
      alarm.stop()
      runtime.stop()
      calls.stop()
    },
  }
}
export type Tasks = ReturnType<typeof createTasks>
