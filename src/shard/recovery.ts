// Resumes unfinished tasks and cron jobs after a start, and after a failure of the log.
import type { Projector } from '../../projections/projector.ts'
import { isTicket } from '../access/tickets.ts'
import { envSessionStream, streamOfStepSecret } from '../contract/events/env-session-events.ts'
import type { Report } from '../contract/ports.ts'
import type { CronSystem } from '../cron/system.ts'
import type { SessionQueries } from '../env-sessions/queries.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { EventLog } from '../log/log.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Tasks } from '../tasks/tasks.ts'
import { isOfWebhook } from '../webhooks/sealed.ts'

type Deps = {
  log: Pick<EventLog, 'onReopened'>
  projector: Pick<Projector, 'catchUp'>
  tasks: Pick<Tasks, 'queries' | 'takePlaces' | 'resume'>
  sessions: Pick<SessionQueries, 'active'>
  cron: Pick<CronSystem, 'resume'> & { queries: Pick<CronSystem['queries'], 'secretRefs'> }
  quotas: Pick<Quotas, 'fill'>
  secrets: Pick<Secrets, 'sweep' | 'refs'>
  /** Does work. If the read models were behind, repeats the work after they caught up. */
  whenCurrent: <T>(work: () => Promise<T>) => Promise<T>
  isClosed: () => boolean
  report: Report
}

export const createRecovery = (deps: Deps) => {
  const { tasks, sessions, cron, whenCurrent, isClosed, report } = deps

  /** Gives running tasks their places again, and counts the usage of quotas anew, from the read models. */
  const takePlaces = () => {
    const unfinished = tasks.queries.unfinished()
    deps.quotas.fill(unfinished, sessions.active())
    tasks.takePlaces(unfinished)
  }

  /**
   * Removes secrets that nothing needs. Only for a start: later, a request that is under way may have stored secrets
   * before its first event.
   */
  const sweepSecrets = (): void => {
    const active = sessions.active()
    const unfinished = tasks.queries.unfinished()
    const named = new Set([...unfinished, ...active].flatMap(row => row.secret_ref ?? []))
    for (const ref of cron.queries.secretRefs()) named.add(ref)
    const kept = new Set(deps.secrets.refs())
    const missing = [...named].filter(ref => !kept.has(ref)).length
    if (missing > 0)
      report(
        'warn',
        'secret values are missing, as after a restore: tasks that need them are paused, and sessions closed. If you have the file secrets.db of this folder, stop the server and put it back now',
        { missing },
      )
    const streams = new Set(active.map(({ id }) => envSessionStream(id)))
    deps.secrets.sweep(
      ref => named.has(ref) || isTicket(ref) || isOfWebhook(ref) || streams.has(streamOfStepSecret(ref)),
    )
  }

  /** Resumes tasks and cron jobs, and resolves to the number of tasks. May be repeated. */
  const resume = async (): Promise<number> => {
    const unfinished = tasks.queries.unfinished()
    await tasks.resume(unfinished, isClosed)
    if (!isClosed()) await cron.resume()
    return unfinished.length
  }

  // First the read models catch up: events may be stored although their write seemed to fail. Then the tasks whose
  // actors the failure has passivated are resumed.
  deps.log.onReopened(async () => {
    await deps.projector.catchUp()
    takePlaces()
    report('warn', 'the event log can be written again')
    setImmediate(() => {
      if (!isClosed())
        whenCurrent(resume).catch(error =>
          report('error', 'tasks could not be resumed: start the server again', { error: String(error) }),
        )
    })
  })
  return {
    takePlaces: () => whenCurrent(async () => takePlaces()),
    /** For a start. Resolves to the number of resumed tasks. */
    begin: () =>
      whenCurrent(async () => {
        sweepSecrets()
        return resume()
      }),
  }
}
