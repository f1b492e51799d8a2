// Wires everything for tasks: actors, command and query service, recall, files, and the work that is due at certain
// times.
import type { Inspect } from '../../actors/runtime/live.ts'
import { createRuntime } from '../../actors/runtime/runtime.ts'
import { createRunningCalls } from '../../actors/task/running-calls.ts'
import type { Report } from '../contract/ports.ts'
import type { Sessions } from '../env-sessions/commands.ts'
import { prepareTask } from './commands/prepared-task.ts'
import { type CreateRequest, createCommands } from './commands.ts'
import { createExpiry } from './expiry.ts'
import { createTaskFiles } from './files.ts'
import { createIdempotency } from './idempotency.ts'
import { createKind, type KindDeps } from './kind.ts'
import { createRecall } from './recall.ts'
import { createRecovery } from './recovery.ts'
import { createRequestReader } from './request-reader.ts'
import { createTaskStreams } from './streams.ts'

type Deps = KindDeps & {
  /** When this server started. */
  startedAt: number
  report: Report
  copySession: Sessions['fork']
  /** Whether the server never sends a request to a URL. */
  isRefused: (url: string) => boolean
  inspect?: Inspect | undefined
  onFault: (error: unknown) => void
}

export const createTasks = (deps: Deps) => {
  const { world, log, queries, secrets, scheduler, quotas, roots, report, startedAt, onFault } = deps
  const { clock, timers, ids } = world
  const idempotency = createIdempotency(queries, log, clock)
  const calls = createRunningCalls()
  const runtime = createRuntime({
    log,
    kind: createKind(deps, calls),
    timers,
    onFault,
    inspect: deps.inspect,
  })
  const requests = createRequestReader({
    roots,
    agents: deps.agentChoice,
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
      judgement: () => ({ now: clock.now(), ttls: deps.ttls }),
      copySession: deps.copySession,
    },
    log,
  }
  const commands = createCommands(creating)
  scheduler.onTurn(commands.start)
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
    /** Prepares a task that an actor of another kind stores in its own append. */
    prepare: (wanted: CreateRequest, userId: string) => prepareTask(creating, wanted, userId),
    streams: createTaskStreams(log, queries.folds),
    idempotency,
    scheduler,
    runtime,
    files,
    ...createRecovery({ ...deps, runtime }),
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
      runtime.stop()
      calls.stop()
    },
  }
}
export type Tasks = ReturnType<typeof createTasks>
