// Wires cron jobs together: actors, the alarm, the followers of the log, read model, command and query service.
import { cronKind } from '../../actors/cron/actor.ts'
import type { Inspect } from '../../actors/runtime/logic.ts'
import { createRuntime } from '../../actors/runtime/runtime.ts'
import type { Projector } from '../../projections/projector.ts'
import type { ReadStore } from '../../projections/store.ts'
import type { Makers } from '../access/makers.ts'
import type { RunEnd } from '../contract/commands/cron-commands.ts'
import { cronStream } from '../contract/events/cron-events.ts'
import type { World } from '../contract/ports.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { EventLog } from '../log/log.ts'
import type { Once } from '../once/once.ts'
import type { Secrets } from '../platform/secrets.ts'
import { createAlarm } from '../platform/time/alarm.ts'
import type { Tasks } from '../tasks/tasks.ts'
import { retriedBy } from '../tasks/when-current.ts'
import { createCronCommands } from './commands.ts'
import { createRunFollowing } from './follow.ts'
import { createPausedJobs } from './paused-jobs.ts'
import { createCronQueries } from './queries.ts'
import { createRunRequests } from './requests.ts'
import { createResume } from './resume.ts'
import { createRuns } from './runs.ts'
import { planner } from './schedule/planner.ts'

/** If the trigger of a due job could not be stored, the job is due again after this many milliseconds. */
const retryMs = 1000

type Deps = {
  world: World
  log: EventLog
  store: ReadStore
  projector: Projector
  secrets: Secrets
  quotas: Quotas
  once: Once
  tasks: Tasks
  makers: Pick<Makers, 'mayAct' | 'onChange'>
  isDraining: () => boolean
  inspect?: Inspect | undefined
  onFault: (error: unknown) => void
}

export const createCronSystem = (deps: Deps) => {
  const { world, log, secrets, tasks, makers, onFault } = deps
  const { clock, timers, ids } = world
  const queries = createCronQueries(deps.store, deps.projector)
  const requests = createRunRequests({ tasks, secrets })
  const runtime = createRuntime({
    log,
    kind: cronKind({ clock, plans: planner, prepare: requests.prepare, discard: requests.discard }),
    timers,
    onFault,
    inspect: deps.inspect,
    begin: tasks.runtime.activate,
  })
  const runs = createRuns({ runtime, requests, makers, ids })
  let isStopped = false
  const whenCurrent = retriedBy(tasks.queries.caughtUp, () => isStopped)
  const isHeld = () => isStopped || deps.isDraining() || log.isFailing()

  const alarm = createAlarm({
    clock,
    timers,
    isHeld,
    onDue: async (jobId, seenAt) => {
      try {
        const { next } = await whenCurrent(() => runs.due(jobId, seenAt))
        // This is needed also when nothing was stored: the clock may have been set back since the alarm looked.
        if (next !== undefined && !isStopped) alarm.set(jobId, next.due)
      } catch (error) {
        onFault(error)
        if (!isStopped) alarm.set(jobId, clock.now() + retryMs)
      }
    },
  })
  /** Stores the end of a run. If that fails, `resume` finds the end again when the log can be written. */
  const end = (run: { jobId: string; runId: string }, how: RunEnd): void => {
    if (!isStopped) whenCurrent(() => runs.end(run.jobId, run.runId, how)).catch(onFault)
  }
  const pausedJobs = createPausedJobs({ runtime, makers, jobs: queries, runs })
  const checkMakers = () => whenCurrent(pausedJobs)
  // In a later turn of the event loop, because by then the read models have the commit.
  makers.onChange(() => setImmediate(() => void (isHeld() ? undefined : checkMakers().catch(onFault))))
  const following = createRunFollowing({
    alarm,
    onEnd: end,
  })
  log.onCommit(following.follow)

  const resume = createResume({
    ...{ queries, alarm, following, runs, log, checkMakers },
    isStopped: () => isStopped,
  })

  return {
    queries,
    /** The state of a job in its chart. */
    stateOf: async (jobId: string) => (await runtime.until(cronStream(jobId), () => true)).state,
    commands: createCronCommands({
      ...deps,
      ...world,
      runtime,
      runs,
      queries,
      makers,
      requests: tasks.requests,
    }),
    resume: () => whenCurrent(resume).catch(onFault),
    busy: () => runtime.busy() + alarm.busy(),
    counts: () => ({ jobs: queries.states(), running: following.running(), ...following.counts }),
    stop(): void {
      isStopped = true
      alarm.stop()
      runtime.stop()
    },
  }
}
export type CronSystem = ReturnType<typeof createCronSystem>
