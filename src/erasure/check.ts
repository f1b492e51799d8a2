// Finds everything that prevents an erasure. Pure.
import type { ErasableTask } from '../../projections/tasks/ended-rows.ts'
import { sessionIdOf } from '../contract/env-session-events.ts'
import type { HoldPlaced } from '../contract/hold-events.ts'
import { Refusal } from '../contract/refusals.ts'
import type { SessionRow } from '../env-sessions/queries.ts'
import type { Closure } from './dependants.ts'
import type { Holds } from './holds.ts'

export type Obstacles = {
  unfinished: { tasks: string[]; env_sessions: string[]; cron_jobs: string[]; webhooks: string[] }
  holds: HoldPlaced[]
  /** Empty when the caller has asked, with `cascade`, to erase the dependants too. */
  dependants: Closure['dependants']
}

/** The largest number of ids of one kind that a refusal names. */
const mostNamed = 100

type Deps = { holds: Pick<Holds, 'on'>; sessionRow: (id: string) => SessionRow | undefined }

export const obstaclesOf = (
  { holds, sessionRow }: Deps,
  { tasks, sessions, dependants }: Closure,
  cascade: boolean,
): Obstacles => {
  const rows = [...tasks.values()]
  const sessionRows = [...sessions].flatMap(stream => sessionRow(sessionIdOf(stream)) ?? [])
  const held = new Set([
    ...rows.flatMap(({ id, session_id, user_id }) => holds.on({ task_id: id, session_id, user_id })),
    ...sessionRows.flatMap(({ id, user_id }) => holds.on({ session_id: id, user_id })),
  ])
  return {
    unfinished: {
      tasks: rows.filter(({ ended }) => ended === 0).map(({ id }: ErasableTask) => id),
      env_sessions: sessionRows.filter(row => row.is_active === 1).map(({ id }) => id),
      cron_jobs: [],
      webhooks: [],
    },
    holds: [...held],
    dependants: cascade ? { tasks: [], sessions: [] } : dependants,
  }
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** Throws NotErasable, with the names of all obstacles, if there are some. */
export const mustBeFree = ({ unfinished, holds, dependants }: Obstacles): void => {
  const { tasks, env_sessions, cron_jobs, webhooks } = unfinished
  const parts = [
    ...(tasks.length > 0
      ? [`${plural(tasks.length, 'task')} not ended yet: cancel or delete them first`]
      : []),
    ...(env_sessions.length > 0
      ? [`${plural(env_sessions.length, 'environment session')} not closed yet: close them first`]
      : []),
    ...(cron_jobs.length > 0
      ? [`${plural(cron_jobs.length, 'cron job')} not deleted yet: delete them first`]
      : []),
    ...(webhooks.length > 0
      ? [`${plural(webhooks.length, 'webhook')} not deleted yet: delete them first`]
      : []),
    ...(holds.length > 0
      ? [`held by ${holds.map(({ hold_id, reason }) => `${hold_id} (${reason})`).join(', ')}`]
      : []),
    ...(dependants.tasks.length + dependants.sessions.length > 0
      ? [
          `its content can also be read in ${plural(dependants.tasks.length, 'other task')} and ${plural(dependants.sessions.length, 'environment session')}: erase these too (cascade=true), or erase nothing`,
        ]
      : []),
  ]
  if (parts.length === 0) return
  const some = <T>(list: T[]): T[] => list.slice(0, mostNamed)
  const sessions = dependants.sessions.map(({ id, ...rest }) => ({ id: sessionIdOf(id), ...rest }))
  throw new Refusal(
    'NotErasable',
    {
      unfinished: {
        tasks: some(tasks),
        env_sessions: some(env_sessions),
        cron_jobs: some(cron_jobs),
        webhooks: some(webhooks),
      },
      holds: some(holds),
      dependants: { tasks: some(dependants.tasks), env_sessions: some(sessions) },
    },
    `this cannot be erased: ${parts.join('; ')}`,
  )
}
