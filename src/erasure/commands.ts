// The command service of erasures. One erasure runs at a time, so that what was checked still holds when it is stored.
import type { ErasableTask } from '../../projections/tasks/ended-rows.ts'
import { cronStream } from '../contract/cron-events.ts'
import { envSessionStream, sessionIdOf } from '../contract/env-session-events.ts'
import type { ErasureSubject } from '../contract/erasure-events.ts'
import type { Ids } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import type { Log } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import { webhookOfTask, webhookStream } from '../contract/webhook-events.ts'
import type { Sessions } from '../env-sessions/commands.ts'
import type { SessionQueries } from '../env-sessions/queries.ts'
import type { Commands } from '../tasks/commands.ts'
import type { Queries } from '../tasks/queries.ts'
import { answerOf, type ErasureAnswer } from './answer.ts'
import type { Asked } from './asked.ts'
import { mustBeFree, obstaclesOf } from './check.ts'
import { type Closure, closureOf } from './dependants.ts'
import type { Finisher } from './finisher.ts'
import type { Holds } from './holds.ts'
import type { StoredErasures } from './stored-erasures.ts'

export type ErasureDeps = {
  log: Pick<Log, 'readStream' | 'revisionOf' | 'head'>
  rows: Queries['erasable']
  sessionQueries: Pick<SessionQueries, 'rowById' | 'userOf' | 'isErased' | 'idsOf'>
  /** The cron jobs and webhooks of a user. */
  settingsOf: (userId: string) => {
    jobs: { id: string; isDeleted: boolean }[]
    webhooks: { id: string }[]
  }
  tasks: Pick<Commands, 'remove'>
  sessions: Pick<Sessions, 'remove'>
  holds: Holds
  stored: StoredErasures
  finisher: Finisher
  ids: Ids
}

export type Wish = { reason: string; cascade: boolean }
/** What somebody asks to erase: tasks, streams of environment sessions, and streams that nothing depends on. */
type Wanted = {
  subject: ErasureSubject
  tasks: readonly ErasableTask[]
  sessions: readonly string[]
  settings?: ReturnType<ErasureDeps['settingsOf']>
}

/** Tasks that are deleted at the same time. */
const deletedAtOnce = 32

export const createErasureCommands = (deps: ErasureDeps) => {
  const { log, rows, sessionQueries, holds, stored, finisher } = deps
  let last: Promise<unknown> = Promise.resolve()
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work, work)
    last = mine.catch(() => {})
    return mine
  }

  const check = ({ settings }: Wanted, closure: Closure, cascade: boolean): void => {
    const obstacles = obstaclesOf({ holds, sessionRow: sessionQueries.rowById }, closure, cascade)
    if (settings !== undefined) {
      obstacles.unfinished.cron_jobs = settings.jobs.flatMap(({ id, isDeleted }) => (isDeleted ? [] : [id]))
      obstacles.unfinished.webhooks = settings.webhooks.map(({ id }) => id)
    }
    mustBeFree(obstacles)
  }
  /** Deletes what is there, so that nobody can add to it or refer to it any more. */
  const remove = async (asked: Asked, { tasks, sessions }: Closure): Promise<void> => {
    const left = [...tasks.values()].filter(({ deleted }) => deleted === 0)
    for (let from = 0; from < left.length; from += deletedAtOnce) {
      const some = left.slice(from, from + deletedAtOnce)
      await Promise.all(some.map(({ id }) => deps.tasks.remove(asked.principal, id, asked.requestId)))
    }
    for (const id of [...sessions].map(sessionIdOf))
      if (sessionQueries.rowById(id) !== undefined) await deps.sessions.remove(asked, id)
  }
  const streamsOf = ({ tasks, sessions }: Closure, { settings }: Wanted): string[] => {
    const ids = [...tasks.keys()]
    const ofTasks = ids.map(id => webhookStream(webhookOfTask(id)))
    const jobs = (settings?.jobs ?? []).map(({ id }) => cronStream(id))
    const others = [...ofTasks, ...sessions, ...jobs].filter(
      stream => log.revisionOf(stream) >= 0 && !sessionQueries.isErased(sessionIdOf(stream)),
    )
    return [...ids.map(taskStream), ...others]
  }
  const erase = async (asked: Asked, wanted: Wanted, { reason, cascade }: Wish): Promise<ErasureAnswer> => {
    const closure = await closureOf({ log, rows }, wanted.tasks, wanted.sessions)
    check(wanted, closure, cascade)
    await remove(asked, closure)
    // What began before the deletion may depend on it. Nothing can begin to depend on it any more.
    const after = await closureOf({ log, rows }, [...closure.tasks.values()], [...closure.sessions])
    check(wanted, after, false)
    const author = { principal: asked.principal.id, causation: asked.requestId }
    const erasure = {
      ...{ erasure_id: deps.ids.next('erasure_'), from: 1, to: log.head() },
      ...{ reason, by: asked.principal.id, subject: wanted.subject },
    }
    const begun = await stored.begin(erasure, streamsOf(closure, wanted), author)
    return answerOf(await finisher.finish(begun))
  }
  /** The answer to a request that was carried out before. */
  const answerAgain = async (position: number): Promise<ErasureAnswer | undefined> => {
    const known = await stored.at(position)
    return known && answerOf(await finisher.finishAgain(known))
  }
  const lastOf = async ({ kind, id, user_id }: ErasureSubject): Promise<ErasureAnswer | undefined> => {
    const found = [...(await stored.all()).values()].findLast(
      ({ subject }) => subject.kind === kind && subject.id === id && subject.user_id === user_id,
    )
    return found && answerOf(await finisher.finishAgain(found))
  }
  const usersOf = (id: string, named: string | undefined): string[] => {
    const own = sessionQueries.isErased(id) ? undefined : sessionQueries.userOf(id)
    const users = new Set([
      ...rows.ofSession(id).map(row => row.user_id),
      ...(own === undefined ? [] : [own]),
    ])
    return [...users].filter(user => named === undefined || user === named)
  }

  return {
    task: (asked: Asked, id: string, wish: Wish): Promise<ErasureAnswer> =>
      alone(async () => {
        const row = rows.byId(id)
        const gone = rows.erased(id)
        const { userId } = asked.principal
        if (userId !== undefined && userId !== (row ?? gone)?.user_id) throw new Refusal('TaskNotFound')
        const subject = { kind: 'task' as const, id }
        if (row !== undefined) return erase(asked, { subject, tasks: [row], sessions: [] }, wish)
        const answer = gone && (await answerAgain(finisher.erasedBy(gone.position)))
        if (answer === undefined) throw new Refusal('TaskNotFound')
        return answer
      }),

    /** Erases the tasks of a chat session and the environment session of this name. `userId`: only those of this user. */
    session: (
      asked: Asked,
      id: string,
      wish: Wish & { userId: string | undefined },
    ): Promise<ErasureAnswer> =>
      alone(async () => {
        const users = usersOf(id, wish.userId)
        if (users.length > 1)
          throw new Refusal(
            'NotErasable',
            { users },
            'several users have a session of this name: name one with user_id',
          )
        const [user] = users
        if (user === undefined) {
          const named = wish.userId === undefined ? {} : { user_id: wish.userId }
          const subjects = [{ kind: 'session' as const, id, ...named }]
          const answer = await lastOf(subjects[0] as ErasureSubject)
          if (answer === undefined) throw new Refusal('SessionNotFound')
          return answer
        }
        const subject = {
          kind: 'session' as const,
          id,
          ...(wish.userId === undefined ? {} : { user_id: user }),
        }
        const tasks = rows.ofSession(id).filter(row => row.user_id === user)
        const isThere = !sessionQueries.isErased(id) && sessionQueries.userOf(id) === user
        return erase(asked, { subject, tasks, sessions: isThere ? [envSessionStream(id)] : [] }, wish)
      }),

    /** Erases all tasks, environment sessions and deleted cron jobs of a user. */
    user: (asked: Asked, id: string, { reason }: Pick<Wish, 'reason'>): Promise<ErasureAnswer> =>
      alone(async () => {
        const subject = { kind: 'user' as const, id }
        const tasks = rows.ofUser(id)
        const sessions = sessionQueries.idsOf(id).map(envSessionStream)
        const settings = deps.settingsOf(id)
        const isEmpty = tasks.length + sessions.length + settings.jobs.length === 0
        if (!isEmpty) return erase(asked, { subject, tasks, sessions, settings }, { reason, cascade: true })
        const answer = await lastOf(subject)
        if (answer !== undefined) return answer
        throw new Refusal('TaskNotFound', undefined, 'the server has nothing of this user that can be erased')
      }),

    /**
     * Erases those of the tasks in whose way nothing is, for a rule of retention. Tasks that others still need stay, and
     * so do their trees. Resolves to the tasks that are gone.
     */
    retire: (asked: Asked, tasks: readonly ErasableTask[], reason: string): Promise<string[]> =>
      alone(async () => {
        const free = await freeOf(deps, tasks)
        if (free.length === 0) return []
        const subject = { kind: 'retention' as const, id: reason }
        const { erased } = await erase(
          asked,
          { subject, tasks: free, sessions: [] },
          { reason, cascade: true },
        )
        return erased.tasks
      }),
  }
}
export type ErasureCommands = ReturnType<typeof createErasureCommands>

/** The tasks that can be erased together without any other task, and that no hold protects. */
const freeOf = async (
  { log, rows, holds, sessionQueries }: ErasureDeps,
  tasks: readonly ErasableTask[],
): Promise<ErasableTask[]> => {
  let free = tasks
  for (;;) {
    const wanted = new Set(free.map(({ id }) => id))
    const kept = new Set<string>()
    for (const row of free) {
      const closure = await closureOf({ log, rows }, [row])
      const { unfinished, holds: held } = obstaclesOf(
        { holds, sessionRow: sessionQueries.rowById },
        closure,
        true,
      )
      const needsOther = [...closure.tasks.keys()].some(id => !wanted.has(id))
      if (needsOther || held.length > 0 || unfinished.tasks.length + unfinished.env_sessions.length > 0)
        kept.add(row.id)
    }
    if (kept.size === 0) return [...free]
    free = free.filter(({ id }) => !kept.has(id))
  }
}
