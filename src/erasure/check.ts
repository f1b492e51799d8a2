// Finds everything that prevents an erasure.
import type { ErasableTask } from '../../projections/tasks/ended-rows.ts'
import { sessionIdOf } from '../contract/events/env-session-events.ts'
import type { HoldPlaced } from '../contract/events/hold-events.ts'
import { Refusal } from '../contract/refusals.ts'
import type { SessionRow } from '../env-sessions/queries.ts'
import type { Pause } from '../fairness/slices.ts'
import type { Closure } from './dependants.ts'
import type { Holdable, Holds } from './holds.ts'

export type Obstacles = {
  unfinished: { tasks: string[]; env_sessions: string[]; cron_jobs: string[]; webhooks: string[] }
  holds: HoldPlaced[]
  /** Without those that may be erased, too. */
  dependants: Closure['dependants']
}

/** The largest number of ids of one kind that a refusal names. */
const mostNamed = 100

/** Which dependants may be erased, too: all, none, or those of these tasks that are given here, with their sessions. */
export type Cascade = boolean | ReadonlySet<string>

const leftBy = (cascade: Cascade, dependants: Closure['dependants']): Closure['dependants'] => {
  if (cascade === false) return dependants
  const tasks = cascade === true ? [] : dependants.tasks.filter(({ id }) => !cascade.has(id))
  return { tasks, sessions: [] }
}

export type ObstacleDeps = {
  holds: Pick<Holds, 'on'>
  sessionQueries: { rowById: (id: string) => SessionRow | undefined }
}

/** Whether a task or one of its environment sessions cannot be erased now. `sessions`: the streams of the sessions. */
export const isHindered = (
  { holds, sessionQueries }: ObstacleDeps,
  { id, session_id, user_id, ended }: ErasableTask,
  sessions: readonly string[],
): boolean =>
  ended === 0 ||
  holds.on({ task_id: id, session_id, user_id }).length > 0 ||
  sessions.some(stream => {
    const row = sessionQueries.rowById(sessionIdOf(stream))
    return (
      row !== undefined &&
      (row.is_active === 1 || holds.on({ session_id: row.id, user_id: row.user_id }).length > 0)
    )
  })

export const obstaclesOf = async (
  { holds, sessionQueries, pause }: ObstacleDeps & { pause: Pause },
  { tasks, sessions, dependants }: Closure,
  cascade: Cascade,
): Promise<Obstacles> => {
  const held = new Set<HoldPlaced>()
  const hold = (subject: Holdable): void => {
    for (const each of holds.on(subject)) held.add(each)
  }
  const unfinished: Obstacles['unfinished'] = { tasks: [], env_sessions: [], cron_jobs: [], webhooks: [] }
  for (const { id, session_id, user_id, ended } of tasks.values()) {
    hold({ task_id: id, session_id, user_id })
    if (ended === 0) unfinished.tasks.push(id)
    await pause()
  }
  for (const stream of sessions) {
    const row = sessionQueries.rowById(sessionIdOf(stream))
    if (row === undefined) continue
    hold({ session_id: row.id, user_id: row.user_id })
    if (row.is_active === 1) unfinished.env_sessions.push(row.id)
    await pause()
  }
  return { unfinished, holds: [...held], dependants: leftBy(cascade, dependants) }
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
