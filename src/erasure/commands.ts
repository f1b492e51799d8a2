// Carries out requests to erase. One erasure runs at a time, so that its checks still hold when the erasure is stored.
import type { ErasableTask } from '../../projections/tasks/ended-rows.ts'
import { envSessionStream } from '../contract/events/env-session-events.ts'
import type { ErasureSubject } from '../contract/events/erasure-events.ts'
import { Refusal } from '../contract/refusals.ts'
import { createTurns } from '../platform/turns.ts'
import { answerOf, type ErasureAnswer } from './answer.ts'
import type { Asked } from './asked.ts'
import { type EraseDeps, erase, type UserSettings, type Wish } from './erase.ts'
import { retire } from './retire.ts'

export type ErasureDeps = EraseDeps & {
  settingsOf: (userId: string) => UserSettings
  /** The position of the event PayloadsErased that covers the event at this position; undefined: there is none. */
  erasedBy: (position: number) => number | undefined
  /** Forgets what is kept about a user outside of the log. Absent: nothing is. */
  forgetUser?: ((user: string) => Promise<void>) | undefined
}
type SessionWish = Wish & { userId: string | undefined }

const isSame = (a: ErasureSubject, b: ErasureSubject): boolean =>
  a.kind === b.kind && a.id === b.id && a.user_id === b.user_id

/** Answers requests for erasures that were carried out before. */
const createAnswers = ({ stored, finisher, erasedBy }: ErasureDeps) => ({
  /** The answer about the erasure that covers the event at this position. */
  async ofEvent(position: number): Promise<ErasureAnswer | undefined> {
    const by = erasedBy(position)
    const known = by === undefined ? undefined : await stored.at(by)
    return known && answerOf(await finisher.finishAgain(known))
  },
  async of(subject: ErasureSubject): Promise<ErasureAnswer | undefined> {
    const all = [...(await stored.all()).values()]
    const found = all.findLast(each => isSame(each.subject, subject))
    return found && answerOf(await finisher.finishAgain(found))
  },
})

/** Erases, or answers about an earlier erasure. All throw as `erase` does, and 404 Refusals. */
const createErasing = (deps: ErasureDeps) => {
  const { rows, sessionQueries } = deps
  const answers = createAnswers(deps)
  const usersOf = (id: string, named: string | undefined): string[] => {
    const own = sessionQueries.isErased(id) ? undefined : sessionQueries.userOf(id)
    const users = new Set(rows.ofSession(id).map(row => row.user_id))
    if (own !== undefined) users.add(own)
    return [...users].filter(user => named === undefined || user === named)
  }
  return {
    async task(asked: Asked, id: string, wish: Wish): Promise<ErasureAnswer> {
      const [row, gone] = [rows.byId(id), rows.erased(id)]
      const { userId } = asked.principal
      if (userId !== undefined && userId !== (row ?? gone)?.user_id) throw new Refusal('TaskNotFound')
      if (row !== undefined)
        return erase(deps, asked, { subject: { kind: 'task', id }, tasks: [row], sessions: [] }, wish)
      const answer = gone && (await answers.ofEvent(gone.position))
      if (answer === undefined) throw new Refusal('TaskNotFound')
      return answer
    },
    async session(asked: Asked, id: string, { userId, ...wish }: SessionWish): Promise<ErasureAnswer> {
      const [user, ...others] = usersOf(id, userId)
      const named = userId === undefined ? {} : { user_id: userId }
      const subject: ErasureSubject = { kind: 'session', id, ...named }
      if (user === undefined) {
        const answer = await answers.of(subject)
        if (answer !== undefined) return answer
        throw new Refusal('SessionNotFound')
      }
      if (others.length > 0)
        throw new Refusal(
          'NotErasable',
          { users: [user, ...others] },
          'several users have a session with this id',
          { hint: 'Name one of `data.users` with the parameter `user_id`.' },
        )
      const tasks = rows.ofSession(id).filter(row => row.user_id === user)
      const isThere = !sessionQueries.isErased(id) && sessionQueries.userOf(id) === user
      const sessions = isThere ? [envSessionStream(id)] : []
      return erase(deps, asked, { subject, tasks, sessions }, wish)
    },
    async user(asked: Asked, id: string, { reason }: Pick<Wish, 'reason'>): Promise<ErasureAnswer> {
      const subject: ErasureSubject = { kind: 'user', id }
      const tasks: ErasableTask[] = []
      for await (const row of rows.ofUser(id, deps.pause)) tasks.push(row)
      const sessions = sessionQueries.idsOf(id).map(envSessionStream)
      const settings = deps.settingsOf(id)
      if (tasks.length + sessions.length + settings.jobs.length > 0)
        return erase(deps, asked, { subject, tasks, sessions, settings }, { reason, cascade: true })
      // What is kept outside of the log needs no event.
      if (deps.holds.on({ user_id: id }).length === 0) await deps.forgetUser?.(id)
      const answer = await answers.of(subject)
      if (answer !== undefined) return answer
      throw new Refusal('TaskNotFound', undefined, 'the server has nothing of this user that can be erased')
    },
  }
}

export const createErasureCommands = (deps: ErasureDeps) => {
  const alone = createTurns()
  const erasing = createErasing(deps)
  return {
    task: (asked: Asked, id: string, wish: Wish) => alone(() => erasing.task(asked, id, wish)),
    /** Erases the tasks of the chat session and the environment session with this id. `userId`: only of this user. */
    session: (asked: Asked, id: string, wish: SessionWish) => alone(() => erasing.session(asked, id, wish)),
    /** Erases all tasks, environment sessions and deleted cron jobs of a user. */
    user: (asked: Asked, id: string, wish: Pick<Wish, 'reason'>) =>
      alone(() => erasing.user(asked, id, wish)),
    /** Erases tasks for a rule of retention, except the tasks that something keeps from being erased. See `retire`. */
    retire: (asked: Asked, tasks: readonly ErasableTask[], reason: string) =>
      retire({ ...deps, alone }, asked, tasks, reason),
  }
}
export type ErasureCommands = ReturnType<typeof createErasureCommands>
