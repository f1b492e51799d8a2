// Commands for a job as a whole: pause, resume, trigger, delete.
import type { CronCommand } from '../contract/commands/cron-commands.ts'
import { cronStream } from '../contract/events/cron-events.ts'
import { digestOfRun, runsOf } from '../contract/request-scopes.ts'
import type { CronView } from '../history/cron-job.ts'
import { type Attempt, callOf } from '../once/once.ts'
import { type Asked, by, type CronCommandDeps, makerAfter } from './command-deps.ts'

export const createCronMoves = (
  { runtime, runs, queries, makers, secrets, once, log, ids }: CronCommandDeps,
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
    async trigger(asked: Asked, jobId: string, retry: Attempt) {
      await log.opened()
      const { principal } = asked
      queries.visible(principal, jobId)
      const runId = ids.next('run_')
      const call = callOf(runsOf(jobId), principal, digestOfRun, retry, runId)
      const done = await once.once(call, () =>
        runs.now(jobId, runId, { ...by(asked), idempotencyKey: retry.key }),
      )
      const id = 'replay' in done ? done.replay : runId
      return { run: queries.run(jobId, id), replayed: 'replay' in done }
    },

    async remove(asked: Asked, jobId: string): Promise<void> {
      await log.opened()
      const { secret_ref } = queries.visible(asked.principal, jobId)
      await runtime.ask(cronStream(jobId), { type: 'DeleteJob', ...by(asked) })
      if (secret_ref !== null) secrets.forget(secret_ref)
    },
  }
}
