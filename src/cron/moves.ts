// Commands for a job as a whole: pause, resume, trigger, delete.
import { digestOfTrigger } from '../../projections/cron/requests.ts'
import type { CronCommand } from '../contract/cron-commands.ts'
import { cronStream } from '../contract/cron-events.ts'
import type { CronView } from '../history/cron-job.ts'
import { type Asked, by, type CronCommandDeps, makerAfter } from './command-deps.ts'
import type { Retry } from './retries.ts'

export const createCronMoves = (
  { runtime, runs, queries, makers, secrets, retries, log, ids }: CronCommandDeps,
  wake: (jobId: string, view: CronView) => void,
) => {
  const move = async (asked: Asked, jobId: string, command: CronCommand) => {
    await log.opened()
    queries.visible(asked.principal, jobId)
    const view = await runtime.ask(cronStream(jobId), command)
    return { view, row: queries.visible(asked.principal, jobId) }
  }
  return {
    async pause(asked: Asked, jobId: string) {
      const { row } = await move(asked, jobId, { type: 'PauseJob', reason: 'paused', ...by(asked) })
      return row
    },

    async resume(asked: Asked, jobId: string) {
      const maker = makerAfter(makers, queries.visible(asked.principal, jobId), asked)
      const { row, view } = await move(asked, jobId, { type: 'ResumeJob', ...maker, ...by(asked) })
      wake(jobId, view)
      return row
    },

    /** Begins a run now, lets it wait, or refuses it, as the job's `overlap` says. */
    async trigger(asked: Asked, jobId: string, retry: Retry) {
      await log.opened()
      const { principal } = asked
      queries.visible(principal, jobId)
      const call = { principal: principal.id, subject: jobId, digest: digestOfTrigger, retry }
      const runId = ids.next('run_')
      const { id, replayed } = await retries(call, runId, () =>
        runs.now(jobId, runId, { ...by(asked), idempotencyKey: retry.key }),
      )
      return { run: queries.run(jobId, id), replayed }
    },

    async remove(asked: Asked, jobId: string): Promise<void> {
      await log.opened()
      const { secret_ref } = queries.visible(asked.principal, jobId)
      await runtime.ask(cronStream(jobId), { type: 'DeleteJob', ...by(asked) })
      if (secret_ref !== null) secrets.forget(secret_ref)
    },
  }
}
