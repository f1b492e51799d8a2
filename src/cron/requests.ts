// Makes the request for the task of a run. The stored body is checked again when the run begins, since agents, MCP
// servers and limits may have changed. The turn that stores the trigger also admits the task and counts its quota.
import type { RunTask } from '../../actors/cron/deps.ts'
import { beginningOf } from '../../actors/task/append.ts'
import { firstEvents } from '../../actors/task/decide/events.ts'
import type { CronMaker } from '../contract/events/cron-events.ts'
import type { Principal } from '../contract/events/token-events.ts'
import { Invalid, Refusal } from '../contract/refusals.ts'
import type { CronView } from '../history/cron-job.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { PreparedTask } from '../tasks/commands/prepared-task.ts'
import type { TaskRequest } from '../tasks/request.ts'
import type { Tasks } from '../tasks/tasks.ts'

type Deps = {
  tasks: Pick<Tasks, 'requests' | 'prepare' | 'at'>
  secrets: Pick<Secrets, 'get'>
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

export const createRunRequests = ({ tasks, secrets }: Deps) => {
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

  /** Gives back what was prepared for a task that is not stored. */
  const discard = (ticket: string): void => {
    prepared.get(ticket)?.abandon(undefined)
    prepared.get(ticket)?.release()
    prepared.delete(ticket)
  }

  return {
    discard,
    /** Reads the request of a run, and keeps it under `ticket` until `stored` or `failed`. */
    async ready(ticket: string, view: CronView): Promise<void> {
      read.set(ticket, await readFor(view))
    },
    /** Prepares the task in the turn that stores it. */
    prepare(ticket: string, view: CronView, runId: string): RunTask {
      const known = read.get(ticket)
      const { created, maker, settings } = view
      if (known === undefined || created === undefined || maker === undefined || settings === undefined)
        throw new Error('the request of a run was not read')
      if ('reason' in known) return known
      const principal = actingAs(maker)
      const { request } = known
      const wanted = { principal, request, body: settings.task, envelopeId: runId, isRetry: false }
      try {
        discard(ticket) // what an earlier try of this turn has prepared
        const task = tasks.prepare({ ...wanted, idempotencyKey: undefined }, created.user_id)
        prepared.set(ticket, task)
        const events = firstEvents(task.created, task.start, task.seen, tasks.at())
        const asked = { principal: principal.id, causation: '' } // the decision adds the cause
        const made = beginningOf({ created: task.created, events }, asked)
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
