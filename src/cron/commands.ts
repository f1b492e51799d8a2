import { type CronSettings, cronStream } from '../contract/events/cron-events.ts'
import { ownerOf, type Principal } from '../contract/events/token-events.ts'
import { readJson } from '../contract/json/exact-json.ts'
import { otherUser, type Problem, Refusal } from '../contract/refusals.ts'
import { scopes } from '../contract/request-scopes.ts'
import { type ChangeCronJobBody, CreateCronJobBody } from '../contract/wire.ts'
import type { CronView } from '../history/cron-job.ts'
import { type Attempt, callOf } from '../once/once.ts'
import { digestOfRequest } from '../platform/digest.ts'
import { digestOfCreate } from '../tasks/request-secrets.ts'
import { type Asked, by, type CronCommandDeps, makerAfter, makerOf } from './command-deps.ts'
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

/** The row of a job that a request made. Throws a conflict when the job was deleted since. */
const stillThere = (visible: CronCommandDeps['queries']['visible'], principal: Principal, id: string) => {
  try {
    return visible(principal, id)
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason !== 'CronJobNotFound') throw error
    throw new Refusal('Conflict', { job_id: id }, 'the cron job of this request was deleted')
  }
}

export const createCronCommands = (deps: CronCommandDeps) => {
  const { runtime, runs, queries, requests, secrets, once, log, clock, ids } = deps
  const withSecrets = createSecretKeeper(deps)
  const reserved = createJobReserve(deps)

  /** Lets the first waiting run of a job begin, if no other run of this job is at work. */
  const wake = (jobId: string, { queue, running }: CronView) => {
    if (queue.length > 0 && running.size === 0) runs.queued(jobId).catch(deps.onFault)
  }

  return {
    /** Makes a job, or finds the job that an earlier call of this request made. */
    async create(asked: Asked, { body, found }: Given<CreateCronJobBody>, retry: Attempt) {
      await log.opened()
      const { principal } = asked
      const now = clock.now()
      const read = await readSettings(requests, { principal, body, found, before: undefined, now })
      const { settings, secrets: values } = read
      const userId = userOf(principal, settings.task.user_id)
      const enabled = body.enabled !== false
      const digest = digestOfRequest(CreateCronJobBody, { ...body, task: {} }, digestOfCreate(settings.task))
      const jobId = ids.next('cron_')
      const job = { jobId, userId, maker: makerOf(principal), enabled, digest, idempotencyKey: retry.key }
      const make = () =>
        reserved(principal, userId, () =>
          withSecrets(settings, values, stored => {
            const command = { type: 'CreateJob', ...job, settings: stored, ...by(asked) } as const
            return runtime.ask(cronStream(jobId), command, true)
          }),
        )
      const done = await once.once(callOf(scopes.job, principal, digest, retry, jobId), make)
      const id = 'replay' in done ? done.replay : jobId
      return { row: stillThere(queries.visible, principal, id), replayed: 'replay' in done }
    },

    async change(asked: Asked, jobId: string, { body, found }: Given<ChangeCronJobBody>) {
      await log.opened()
      const { principal } = asked
      const row = queries.visible(principal, jobId)
      const before = readJson(row.settings) as CronSettings
      const read = await readSettings(requests, { principal, body, found, before, now: clock.now() })
      const { user_id: named, ...task } = read.settings.task
      userOf(principal, named)
      // A job keeps its owner, whoever changes it.
      const { user_id } = before.task
      const owned = user_id === undefined ? task : { ...task, user_id }
      const enabled = typeof body.enabled === 'boolean' ? { enabled: body.enabled } : {}
      const command = {
        type: 'ChangeJob',
        ...enabled,
        ...makerAfter(deps.makers, row, asked),
        ...by(asked),
      } as const
      let view: CronView | undefined
      await withSecrets({ ...read.settings, task: owned }, read.secrets, async settings => {
        view = await runtime.ask(cronStream(jobId), { ...command, settings })
      })
      const { secret_ref } = before
      if (secret_ref !== undefined && view?.settings?.secret_ref !== secret_ref) secrets.forget(secret_ref)
      if (view !== undefined && view.state !== 'paused') wake(jobId, view)
      return queries.visible(principal, jobId)
    },

    ...createCronMoves(deps, wake),
  }
}
export type CronCommands = ReturnType<typeof createCronCommands>
