// Takes up what has not ended, tasks and environment sessions together: after a start, and after the log was away.
import type { Projector } from '../../projections/projector.ts'
import { isTicket } from '../access/tickets.ts'
import { envSessionStream, streamOfStepSecret } from '../contract/env-session-events.ts'
import type { Report } from '../contract/ports.ts'
import type { SessionQueries } from '../env-sessions/queries.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { EventLog } from '../log/log.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Tasks } from '../tasks/tasks.ts'

type Deps = {
  log: Pick<EventLog, 'onReopened'>
  projector: Pick<Projector, 'catchUp'>
  tasks: Pick<Tasks, 'queries' | 'takePlaces' | 'goOn'>
  sessions: Pick<SessionQueries, 'active'>
  quotas: Pick<Quotas, 'fill'>
  secrets: Pick<Secrets, 'sweep'>
  isClosed: () => boolean
  report: Report
}

export const createRecovery = (deps: Deps) => {
  const { tasks, sessions, isClosed, report } = deps

  /** Everybody's place, and what everybody has, as the log says. */
  const takePlaces = () => {
    const unfinished = tasks.queries.unfinished()
    deps.quotas.fill(unfinished, sessions.active())
    tasks.takePlaces(unfinished)
  }

  /** Takes up what is unfinished; safe to call again. The answer: how many tasks there are. */
  const goOn = async (): Promise<number> => {
    const unfinished = tasks.queries.unfinished()
    const active = sessions.active()
    const named = new Set([...unfinished, ...active].flatMap(row => row.secret_ref ?? []))
    const streams = new Set(active.map(({ id }) => envSessionStream(id)))
    deps.secrets.sweep(ref => named.has(ref) || isTicket(ref) || streams.has(streamOfStepSecret(ref)))
    await tasks.goOn(unfinished, isClosed)
    return unfinished.length
  }

  // What a failed write left behind is known to the read models before anything is asked of them again; then
  // the actors that the failure put away come back.
  deps.log.onReopened(async () => {
    await deps.projector.catchUp()
    takePlaces()
    report('warn', 'the event log can be written again')
    setImmediate(() => {
      if (!isClosed()) goOn().catch(error => report('error', 'recovery failed', { error: String(error) }))
    })
  })
  return { takePlaces, goOn }
}
