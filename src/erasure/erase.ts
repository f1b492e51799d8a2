// Carries out one erasure, from the check to the end.
import type { ErasableTask } from '../../projections/tasks/ended-rows.ts'
import { cronStream } from '../contract/events/cron-events.ts'
import { sessionIdOf } from '../contract/events/env-session-events.ts'
import type { ErasureSubject } from '../contract/events/erasure-events.ts'
import { webhookOfTask, webhookStream } from '../contract/events/webhook-events.ts'
import type { Ids } from '../contract/ports.ts'
import type { Log } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import type { Reach } from '../contract/tools.ts'
import type { Sessions } from '../env-sessions/commands.ts'
import type { SessionQueries } from '../env-sessions/queries.ts'
import type { Pause } from '../fairness/slices.ts'
import { yieldToLoop } from '../platform/loop.ts'
import type { Commands } from '../tasks/commands.ts'
import type { Erasable } from '../tasks/erasable.ts'
import { answerOf, type ErasureAnswer } from './answer.ts'
import type { Asked } from './asked.ts'
import { type Cascade, mustBeFree, obstaclesOf } from './check.ts'
import { type Closure, closureOf, createKinIndex, type KinIndex } from './dependants.ts'
import type { Finisher } from './finisher.ts'
import type { Holds } from './holds.ts'
import type { StoredErasure, StoredErasures } from './stored-erasures.ts'

export type EraseDeps = {
  log: Pick<Log, 'readStream' | 'revisionOf' | 'head'>
  rows: Erasable
  sessionQueries: Pick<SessionQueries, 'rowById' | 'userOf' | 'isErased' | 'idsOf'>
  tasks: Pick<Commands, 'remove' | 'forksSettled'>
  sessions: Pick<Sessions, 'remove'>
  holds: Holds
  stored: StoredErasures
  finisher: Finisher
  ids: Ids
  /** Gives other work a turn, since an erasure may have any size. */
  pause: Pause
  /** Called before an erasure is stored; tests end the process there. */
  reach: Reach
}

/** The cron jobs of a user, and the webhooks that are not deleted. */
export type UserSettings = { jobs: { id: string; isDeleted: boolean }[]; webhooks: { id: string }[] }
export type Wish = { reason: string; cascade: Cascade }
/** What somebody asks to erase: tasks, streams of environment sessions, and the cron jobs and webhooks of a user. */
export type Wanted = {
  subject: ErasureSubject
  tasks: Iterable<ErasableTask>
  sessions: readonly string[]
  settings?: UserSettings
}

/** The number of tasks that are deleted at the same time. One commit may hold them all, and is folded in one turn. */
const deletedAtOnce = 16

const check = async (
  deps: EraseDeps,
  { subject, settings }: Wanted,
  closure: Closure,
  cascade: Cascade,
): Promise<void> => {
  const obstacles = await obstaclesOf(deps, closure, cascade)
  if (settings !== undefined) {
    // The holds on tasks and sessions do not include a hold on the user when the user has no task and no session.
    obstacles.holds = [...new Set([...obstacles.holds, ...deps.holds.on({ user_id: subject.id })])]
    obstacles.unfinished.cron_jobs = settings.jobs.flatMap(({ id, isDeleted }) => (isDeleted ? [] : [id]))
    obstacles.unfinished.webhooks = settings.webhooks.map(({ id }) => id)
  }
  mustBeFree(obstacles)
}

/** Deletes the tasks and sessions, so that nobody can add to them or refer to them any more. */
const remove = async (deps: EraseDeps, asked: Asked, { tasks, sessions }: Closure): Promise<void> => {
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []
  const removeTask = async (id: string): Promise<void> => {
    try {
      await deps.tasks.remove(asked.principal, id, asked.requestId)
    } catch (error) {
      failures.push(error)
    }
  }
  for (const { id, deleted } of tasks.values()) {
    if (deleted !== 0) continue
    const removing = removeTask(id).finally(() => underWay.delete(removing))
    underWay.add(removing)
    await yieldToLoop()
    if (underWay.size >= deletedAtOnce) await Promise.race(underWay)
    if (failures.length > 0) break
  }
  await Promise.all(underWay)
  if (failures.length > 0) throw failures[0]
  for (const id of [...sessions].map(sessionIdOf))
    if (deps.sessionQueries.rowById(id) !== undefined) await deps.sessions.remove(asked, id)
}

/** The streams to erase, in one list for each user: users may export events that erased their streams. */
const streamsOf = async (
  { log, sessionQueries, pause }: EraseDeps,
  { tasks, sessions }: Closure,
  { subject, settings }: Wanted,
): Promise<string[][]> => {
  const byUser = new Map<string, string[]>()
  const add = (user: string, stream: string): void => {
    const own = byUser.get(user)
    if (own === undefined) byUser.set(user, [stream])
    else own.push(stream)
  }
  const addStored = async (user: string, stream: string): Promise<void> => {
    if (log.revisionOf(stream) >= 0) add(user, stream)
    await pause()
  }
  for (const { id, user_id } of tasks.values()) add(user_id, taskStream(id))
  for (const { id, user_id } of tasks.values()) await addStored(user_id, webhookStream(webhookOfTask(id)))
  for (const stream of sessions) {
    const id = sessionIdOf(stream)
    if (!sessionQueries.isErased(id)) await addStored(sessionQueries.userOf(id) ?? '', stream)
  }
  for (const { id } of settings?.jobs ?? []) await addStored(subject.id, cronStream(id))
  return [...byUser.values()]
}

/**
 * Stores an erasure, which can then no longer be stopped. Throws NotErasable. `index`: what is known already about the
 * tasks.
 */
export const beginErasure = async (
  deps: EraseDeps,
  asked: Asked,
  wanted: Wanted,
  { reason, cascade }: Wish,
  index: KinIndex = createKinIndex(deps),
): Promise<StoredErasure> => {
  const { log, holds } = deps
  index.lookAgain()
  const closure = await closureOf(deps, index, wanted.tasks, wanted.sessions)
  await check(deps, wanted, closure, cascade)
  await remove(deps, asked, closure)
  await deps.tasks.forksSettled()
  // Tasks that were created before the deletion may depend on the deleted ones. Later tasks cannot.
  index.lookAgain()
  const after = await closureOf(deps, index, closure.tasks.values(), closure.sessions)
  for (;;) {
    const seen = holds.changes()
    await check(deps, wanted, after, false)
    const streams = await streamsOf(deps, closure, wanted)
    if (holds.changes() !== seen) continue // a hold has come meanwhile
    const author = { principal: asked.principal.id, causation: asked.requestId }
    const erasure = {
      ...{ erasure_id: deps.ids.next('erasure_'), from: 1, to: log.head() },
      ...{ reason, by: asked.principal.id, subject: wanted.subject },
    }
    deps.reach('before-intent', 'erasure')
    return deps.stored.begin(erasure, streams, author)
  }
}

/** Throws NotErasable, and ErasureUnfinished when the erasure is stored but could not be finished. */
export const erase = async (
  deps: EraseDeps,
  asked: Asked,
  wanted: Wanted,
  wish: Wish,
): Promise<ErasureAnswer> =>
  answerOf(await deps.finisher.finish(await beginErasure(deps, asked, wanted, wish)))
