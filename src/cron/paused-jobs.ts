// Pauses the jobs whose makers have no valid token any more, and lets them go on when their makers have one again.
import type { Runtime } from '../../actors/runtime/runtime.ts'
import type { Makers } from '../access/makers.ts'
import type { CronCommand } from '../contract/commands/cron-commands.ts'
import { cronStream, noValidToken } from '../contract/events/cron-events.ts'
import { Refusal } from '../contract/refusals.ts'
import type { CronView } from '../history/cron-job.ts'
import { createTurns } from '../platform/turns.ts'
import type { CronQueries } from './queries.ts'
import type { Runs } from './runs.ts'

type Deps = {
  runtime: Pick<Runtime<CronView, CronCommand>, 'ask'>
  makers: Pick<Makers, 'mayAct'>
  jobs: Pick<CronQueries, 'byMaker'>
  runs: Pick<Runs, 'queued'>
}

/** A request may have deleted or paused the job meanwhile. */
const unlessMoved = (error: unknown): void => {
  if (!(error instanceof Refusal)) throw error
}

export const createPausedJobs = ({ runtime, makers, jobs, runs }: Deps) => {
  const look = async (): Promise<void> => {
    for (const { id, maker_token: token, maker_user: userId, is_held } of jobs.byMaker()) {
      const mayAct = makers.mayAct({ token, userId })
      if (mayAct !== (is_held === 1)) continue
      const stream = cronStream(id)
      const by = { principal: 'system', causation: stream }
      const command: CronCommand = mayAct
        ? { type: 'GoOn', ...by }
        : { type: 'PauseJob', reason: noValidToken, ...by }
      const view = await runtime.ask(stream, command).catch(unlessMoved)
      if (mayAct && view && view.queue.length > 0 && view.running.size === 0) await runs.queued(id)
    }
  }
  const inTurn = createTurns()
  let next: Promise<void> | undefined
  /**
   * Looks at all jobs whose makers are users. A look begins when the one before it has ended: a maker may get a token while the
   * job is being paused.
   */
  return (): Promise<void> => {
    next ??= inTurn(() => {
      next = undefined
      return look()
    })
    return next
  }
}
