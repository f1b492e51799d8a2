// What one user, and all users together, may have open at a time. Everything is counted in memory: filled once from the
// read models, then from each commit; what is being made counts from the moment it is allowed. A limit binds new things
// only: what is there when a limit is lowered goes on.
import { type RecordedSessionEvent, sessionEvents } from '../contract/decoders/env-session.ts'
import { type RecordedTaskEvent, taskEvents } from '../contract/decoders/task.ts'
import { sessionIdOf } from '../contract/env-session-events.ts'
import { overQuota, type QuotaName, quotaNames, type Refusal } from '../contract/refusals.ts'
import type { Recorded } from '../contract/stored.ts'
import { taskEnds } from '../contract/task-state.ts'
import { taskIdOf } from '../contract/task-stream.ts'
import type { Principal } from '../contract/token-events.ts'

/** By the names of the quotas; 0: no limit. `disk`: bytes. */
export type QuotaLimits = Readonly<Record<QuotaName, number>>

export const noQuotas = Object.freeze(Object.fromEntries(quotaNames.map(name => [name, 0]))) as QuotaLimits

/** Gives back what was counted for something that did not come to be, or is over. May be called again. */
export type Release = () => void

/** Numbers by user, and their sum; without a user only that. */
const createCounts = () => {
  const byUser = new Map<string | undefined, number>()
  let total = 0
  return {
    of: (user: string): number => byUser.get(user) ?? 0,
    total: () => total,
    add(user: string | undefined, by: 1 | -1): void {
      const count = (byUser.get(user) ?? 0) + by
      total += by
      if (count === 0) byUser.delete(user)
      else byUser.set(user, count)
    },
  }
}

/** Things of the log by their id: each counts once, whether it is being made or is stored. */
const createHoldings = () => {
  const known = new Map<string, { user: string; isStored: boolean }>()
  const counts = createCounts()
  const put = (id: string, user: string, isStored: boolean) => {
    const before = known.get(id)
    if (before === undefined) counts.add(user, 1)
    else if (isStored) before.isStored = true
    if (before === undefined) known.set(id, { user, isStored })
  }
  const remove = (id: string) => {
    const before = known.get(id)
    if (before === undefined) return
    known.delete(id)
    counts.add(before.user, -1)
  }
  return {
    ...counts,
    has: (id: string) => known.has(id),
    /** Counts from now on; given back unless it has been stored by then. */
    hold(id: string, user: string): Release {
      put(id, user, false)
      return () => {
        if (known.get(id)?.isStored === false) remove(id)
      }
    },
    store: (id: string, user: string) => put(id, user, true),
    remove,
    /** What the log holds, and what is being made. */
    fill(rows: Iterable<{ id: string; user: string }>): void {
      for (const [id, { isStored }] of known) if (isStored) remove(id)
      for (const { id, user } of rows) put(id, user, true)
    },
  }
}

type Row = { id: string; user_id: string }
const usersOf = (rows: Iterable<Row>) => [...rows].map(({ id, user_id }) => ({ id, user: user_id }))
const nothing = () => {}

export const createQuotas = (limits: QuotaLimits) => {
  const [tasks, sessions] = [createHoldings(), createHoldings()]
  const [streams, sockets] = [createCounts(), createCounts()]
  const refused = new Map<QuotaName, number>(quotaNames.map(name => [name, 0]))

  const refuse = (quota: QuotaName): Refusal => {
    refused.set(quota, (refused.get(quota) ?? 0) + 1)
    return overQuota(quota, limits[quota])
  }
  /** Throws when no more of it fits. */
  const must = (quota: QuotaName, used: number): void => {
    const limit = limits[quota]
    if (limit > 0 && used >= limit) throw refuse(quota)
  }

  const opener = (quota: 'streams' | 'sockets', counts: typeof streams) => {
    /** `replaces`: another one of the same caller closes for it. */
    return ({ userId }: Principal, replaces = false): Release => {
      if (!replaces) {
        if (userId !== undefined) must(quota, counts.of(userId))
        must('max_streams', streams.total() + sockets.total())
      }
      counts.add(userId, 1)
      let isOpen = true
      return () => {
        if (isOpen) counts.add(userId, -1)
        isOpen = false
      }
    }
  }

  const followTask = ({ type, header, data }: RecordedTaskEvent): void => {
    if (type === 'TaskCreated') tasks.store(data.task_id, data.user_id)
    else if (taskEnds.has(type)) tasks.remove(taskIdOf(header.stream))
  }
  const followSession = ({ type, header, data }: RecordedSessionEvent): void => {
    const id = sessionIdOf(header.stream)
    if (type === 'EnvSessionCreated') sessions.store(id, data.user_id)
    else if (type === 'EnvSessionClosed' || type === 'EnvSessionDeleted') sessions.remove(id)
  }

  return {
    /** A task of this user is being created. Bound: the user's token asks for it, or an agent of a task of such a one. */
    reserveTask(id: string, user: string, isBound: boolean): Release {
      if (tasks.has(id)) return nothing
      if (isBound) must('tasks', tasks.of(user))
      return tasks.hold(id, user)
    },
    reserveSession(id: string, user: string, isBound: boolean): Release {
      if (sessions.has(id)) return nothing
      if (isBound) must('sessions', sessions.of(user))
      must('max_sessions', sessions.total())
      return sessions.hold(id, user)
    },
    openStream: opener('streams', streams),
    openSocket: opener('sockets', sockets),
    /** What is said, and counted, when a user has used up the disk. */
    overDisk: (): Refusal => refuse('disk'),
    /** Follows what is stored; called with each commit. */
    follow(events: readonly Recorded[]): void {
      for (const stored of events) {
        const task = taskEvents.find(stored)
        if (task !== undefined) followTask(task)
        const session = sessionEvents.find(stored)
        if (session !== undefined) followSession(session)
      }
    },
    /** What the log holds: unfinished tasks and active sessions. */
    fill(unfinished: Iterable<Row>, active: Iterable<Row>): void {
      tasks.fill(usersOf(unfinished))
      sessions.fill(usersOf(active))
    },
    counts: () => ({
      refused: [...refused],
      used: {
        tasks: tasks.total(),
        sessions: sessions.total(),
        streams: streams.total(),
        sockets: sockets.total(),
      },
    }),
  }
}
export type Quotas = ReturnType<typeof createQuotas>
