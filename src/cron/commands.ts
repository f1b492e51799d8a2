import { type CronSettings, cronStream } from '../contract/cron-events.ts'
import { otherUser, type Problem } from '../contract/refusals.ts'
import { ownerOf, type Principal } from '../contract/token-events.ts'
import type { ChangeCronJobBody, CreateCronJobBody } from '../contract/wire.ts'
import type { CronView } from '../history/cron-job.ts'
import { type Asked, by, type CronCommandDeps, makerOf } from './command-deps.ts'
import { createJobReserve } from './job-reserve.ts'
import { createSecretKeeper } from './job-secrets.ts'
import { createCronMoves } from './moves.ts'
import { readSettings } from './settings.ts'

/** A body, and the problems that its schema has found. */
type Given<Body> = { body: Body; found: Problem[] }

/** The user who owns a job and its tasks. Throws when the token belongs to another user. */
const userOf = (principal: Principal, named: string | null | undefined): string => {
  if (principal.userId !== undefined && typeof named === 'string' && named !== principal.userId) {
    throw otherUser(principal.userId, named)
  }
  return ownerOf(principal, named)
}

export const createCronCommands = (deps: CronCommandDeps) => {
  const { runtime, runs, queries, requests, secrets, log, clock, ids } = deps
  const withSecrets = createSecretKeeper(deps)
  const reserved = createJobReserve(deps)
  const ready = async () => {
    if (log.isFailing()) await log.retry()
  }

  /** Waiting runs of a job that was paused may begin. */
  const wake = (jobId: string, { queue, running }: CronView) => {
    if (queue.length > 0 && running.size === 0) runs.queued(jobId).catch(deps.onFault)
  }

  return {
    async create(asked: Asked, { body, found }: Given<CreateCronJobBody>) {
      await ready()
      const { principal } = asked
      const read = await readSettings(requests, {
        principal,
        body,
        found,
        before: undefined,
        now: clock.now(),
      })
      const userId = userOf(principal, read.settings.task.user_id)
      const jobId = ids.next('cron_')
      const enabled = body.enabled !== false
      await reserved(principal, userId, () =>
        withSecrets(read.settings, read.secrets, settings => {
          const job = { jobId, userId, settings, maker: makerOf(principal), enabled }
          return runtime.ask(cronStream(jobId), { type: 'CreateJob', ...job, ...by(asked) }, true)
        }),
      )
      return queries.visible(principal, jobId)
    },

    async change(asked: Asked, jobId: string, { body, found }: Given<ChangeCronJobBody>) {
      await ready()
      const { principal } = asked
      const row = queries.visible(principal, jobId)
      const before: CronSettings = JSON.parse(row.settings)
      const read = await readSettings(requests, { principal, body, found, before, now: clock.now() })
      // A job keeps its owner, whoever changes it.
      const owned = { ...read.settings.task, user_id: row.user_id }
      userOf(principal, read.settings.task.user_id)
      const enabled = typeof body.enabled === 'boolean' ? { enabled: body.enabled } : {}
      let view: CronView | undefined
      await withSecrets({ ...read.settings, task: owned }, read.secrets, async settings => {
        view = await runtime.ask(cronStream(jobId), { type: 'ChangeJob', settings, ...enabled, ...by(asked) })
      })
      const { secret_ref } = before
      if (secret_ref !== undefined && view?.settings?.secret_ref !== secret_ref) secrets.forget(secret_ref)
      if (view !== undefined && view.state !== 'paused') wake(jobId, view)
      return queries.visible(principal, jobId)
    },

    ...createCronMoves(deps, ready, wake),
  }
}
export type CronCommands = ReturnType<typeof createCronCommands>
