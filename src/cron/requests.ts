// Makes the request for the task of a run. The stored body is checked again when the run begins, since agents, MCP
// servers and limits may have changed. The turn that stores the trigger also admits the task and counts its quota.
import type { RunTask } from '../../actors/cron/deps.ts'
import { beginningOf } from '../../actors/task/append.ts'
import { firstEvents, type Ttls } from '../../actors/task/events.ts'
import type { CronMaker } from '../contract/cron-events.ts'
import { cronStream } from '../contract/cron-events.ts'
import type { Clock } from '../contract/ports.ts'
import { Invalid, Refusal } from '../contract/refusals.ts'
import type { Principal } from '../contract/token-events.ts'
import type { CronView } from '../history/cron-job.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { PreparedTask } from '../tasks/commands/prepared-task.ts'
import type { TaskRequest } from '../tasks/request.ts'
import type { Tasks } from '../tasks/tasks.ts'

type Deps = {
  tasks: Pick<Tasks, 'requests' | 'prepare'>
  secrets: Pick<Secrets, 'get'>
  ttls: Ttls
  clock: Clock
}
type Refused = { error: string; reason: string }
type Read = { request: TaskRequest } | Refused

/** The principal as which a job acts. Only src/access/makers.ts knows whether the maker has a valid token. */
export const actingAs = ({ token_id, user_id }: CronMaker): Principal => ({
  id: token_id,
  role: user_id === undefined ? 'admin' : 'user',
  userId: user_id,
  expiresAt: undefined,
})

const problemsText = ({ problems }: Invalid): string =>
  problems.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ')

export const createRunRequests = ({ tasks, secrets, ttls, clock }: Deps) => {
  /** Both by ticket: the request of each run that is about to begin, and the task that was prepared for it. */
  const read = new Map<string, Read>()
  const prepared = new Map<string, PreparedTask>()

  const readFor = async ({ settings, maker, created }: CronView): Promise<Read> => {
    if (settings === undefined || maker === undefined || created === undefined)
      return { error: 'no such job', reason: 'deleted' }
    const { task, secret_ref } = settings
    const values = secret_ref === undefined ? {} : secrets.get(secret_ref)
    if (values === undefined) {
      const error = 'the secret values of the task are gone: set `task` again'
      return { error, reason: 'secret_missing' }
    }
    try {
      // The maker may be somebody else than the owner of the job, in whose folders its tasks work.
      const owner = { ...actingAs(maker), userId: created.user_id }
      // No client sends this request, so it has no digest by which a retry could find its task.
      const request = await tasks.requests.read(owner, task, '')
      return { request: { ...request, secrets: values } }
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      return { error: `the task cannot be created: ${problemsText(error)}`, reason: 'invalid_task' }
    }
  }

  const settle = (ticket: string): void => {
    prepared.get(ticket)?.release()
    prepared.delete(ticket)
    read.delete(ticket)
  }

  return {
    /** Reads the request of a run, and keeps it under `ticket` until `stored` or `failed`. */
    async ready(ticket: string, view: CronView): Promise<void> {
      read.set(ticket, await readFor(view))
    },
    /** Prepares the task in the turn that stores it. */
    prepare(ticket: string, view: CronView, runId: string, cause: number): RunTask {
      const known = read.get(ticket)
      const { created, maker, settings } = view
      if (known === undefined || created === undefined || maker === undefined || settings === undefined)
        throw new Error('the request of a run was not read')
      if ('reason' in known) return known
      const principal = actingAs(maker)
      const { request } = known
      const wanted = { principal, request, body: settings.task, envelopeId: runId, isRetry: false }
      try {
        prepared.get(ticket)?.abandon(undefined) // an earlier try of this turn
        prepared.get(ticket)?.release()
        const task = tasks.prepare({ ...wanted, idempotencyKey: undefined }, created.user_id)
        prepared.set(ticket, task)
        const events = firstEvents(task.created, task.start, task.seen, { now: clock.now(), ttls })
        const causation = `${cronStream(created.job_id)}@${cause}`
        const made = beginningOf({ created: task.created, events }, { principal: principal.id, causation })
        return { taskId: task.place.taskId, made }
      } catch (error) {
        if (!(error instanceof Refusal) || error.reason !== 'OverQuota') throw error
        return { error: error.message, reason: 'quota' }
      }
    },
    /** Call this when the turn has stored the trigger. */
    stored: settle,
    /** Call this with the error of a turn that could not store the trigger. */
    failed(ticket: string, error: unknown): void {
      prepared.get(ticket)?.abandon(error)
      settle(ticket)
    },
  }
}
export type RunRequests = ReturnType<typeof createRunRequests>
