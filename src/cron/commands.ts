// The command service of cron jobs: create, change, pause, resume, trigger, delete.
import type { Runtime } from '../../actors/runtime/runtime.ts'
import type { CronCommand } from '../contract/cron-commands.ts'
import { type CronMaker, type CronSettings, cronStream } from '../contract/cron-events.ts'
import type { Clock, Ids } from '../contract/ports.ts'
import { otherUser, type Problem } from '../contract/refusals.ts'
import { ownerOf, type Principal } from '../contract/token-events.ts'
import type { ChangeCronJobBody, CreateCronJobBody } from '../contract/wire.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { CronView } from '../history/cron-job.ts'
import type { EventLog } from '../log/log.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { RequestReader } from '../tasks/request-reader.ts'
import type { Makers } from './makers.ts'
import type { CronQueries } from './queries.ts'
import type { Runs } from './runs.ts'
import { readSettings } from './settings.ts'

type Deps = {
  runtime: Pick<Runtime<CronView, CronCommand>, 'ask'>
  runs: Pick<Runs, 'now' | 'queued'>
  queries: CronQueries
  makers: Makers
  requests: RequestReader
  secrets: Pick<Secrets, 'put' | 'forget'>
  quotas: Pick<Quotas, 'mustHaveCronJob'>
  log: Pick<EventLog, 'isFailing' | 'retry'>
  clock: Clock
  ids: Ids
  onFault: (error: unknown) => void
}
type Asked = { principal: Principal; requestId: string }
/** A body, and the problems that its schema has found. */
type Given<Body> = { body: Body; found: Problem[] }

const by = ({ principal, requestId }: Asked) => ({ principal: principal.id, causation: requestId })
const makerOf = ({ id, userId }: Principal): CronMaker => ({
  token_id: id,
  ...(userId === undefined ? {} : { user_id: userId }),
})

/** The user who owns a job and its tasks. Throws when the token belongs to another user. */
const userOf = (principal: Principal, named: string | null | undefined): string => {
  if (principal.userId !== undefined && typeof named === 'string' && named !== principal.userId) {
    throw otherUser(principal.userId, named)
  }
  return ownerOf(principal, named)
}

export const createCronCommands = (deps: Deps) => {
  const { runtime, runs, queries, makers, requests, secrets, quotas, log, clock, ids } = deps
  /** How many creates of each user are under way, so that they cannot pass the limit together. */
  const creating = new Map<string, number>()
  const ready = async () => {
    if (log.isFailing()) await log.retry()
  }

  /** Keeps secret values under a new reference while `store` stores the settings that name it. */
  const withSecrets = async (
    settings: CronSettings,
    values: Record<string, unknown>,
    store: (settings: CronSettings) => Promise<unknown>,
  ): Promise<void> => {
    if (Object.keys(values).length === 0) return void (await store(settings))
    const secret_ref = ids.next('sec_')
    secrets.put(secret_ref, values)
    await store({ ...settings, secret_ref }).catch(error => {
      // When the write failed but the events are stored after all, the reference is named; else the next start sweeps it.
      if (!log.isFailing()) secrets.forget(secret_ref)
      throw error
    })
  }
  const reserved = async <T>(principal: Principal, user: string, make: () => Promise<T>): Promise<T> => {
    const under = creating.get(user) ?? 0
    if (principal.userId !== undefined) quotas.mustHaveCronJob(queries.countOf(user) + under)
    creating.set(user, under + 1)
    try {
      return await make()
    } finally {
      const left = (creating.get(user) ?? 1) - 1
      if (left === 0) creating.delete(user)
      else creating.set(user, left)
    }
  }
  const move = async (asked: Asked, jobId: string, command: (about: object) => CronCommand) => {
    await ready()
    queries.visible(asked.principal, jobId)
    const view = await runtime.ask(cronStream(jobId), command(by(asked)))
    return { view, row: queries.visible(asked.principal, jobId) }
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

    async pause(asked: Asked, jobId: string) {
      const { row } = await move(asked, jobId, about => ({
        type: 'PauseJob',
        reason: 'paused',
        ...by(asked),
        ...about,
      }))
      return row
    },

    async resume(asked: Asked, jobId: string) {
      const { maker_token, maker_user } = queries.visible(asked.principal, jobId)
      const isGone = makers.isGone(maker_token, maker_user)
      const maker = isGone ? { maker: makerOf(asked.principal) } : {}
      const { row, view } = await move(asked, jobId, () => ({ type: 'ResumeJob', ...maker, ...by(asked) }))
      wake(jobId, view)
      return row
    },

    /** Begins a run now, or lets it wait, as the job's overlap says. */
    async trigger(asked: Asked, jobId: string) {
      await ready()
      queries.visible(asked.principal, jobId)
      const runId = await runs.now(jobId, by(asked))
      return queries.run(jobId, runId)
    },

    async remove(asked: Asked, jobId: string): Promise<void> {
      await ready()
      const { secret_ref } = queries.visible(asked.principal, jobId)
      await runtime.ask(cronStream(jobId), { type: 'DeleteJob', ...by(asked) })
      if (secret_ref !== null) secrets.forget(secret_ref)
    },
  }
}
export type CronCommands = ReturnType<typeof createCronCommands>
