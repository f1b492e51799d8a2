// Limits how much one user, and all users together, may have at a time: tasks, sessions, streams and WebSockets. All
// counts are in memory. A new task, session or stream counts from the moment at which it is allowed. A lowered limit
// applies only to new ones; existing ones continue.

import { taskEnds } from '../contract/charts/task-state.ts'
import { type RecordedSessionEvent, sessionEvents } from '../contract/decoders/env-session.ts'
import { type RecordedTaskEvent, taskEvents } from '../contract/decoders/task.ts'
import { sessionIdOf } from '../contract/events/env-session-events.ts'
import type { Principal } from '../contract/events/token-events.ts'
import {
  type FixedLimit,
  fixedLimits,
  overQuota,
  type QuotaName,
  quotaNames,
  type Refusal,
} from '../contract/refusals.ts'
import type { Recorded } from '../contract/stored.ts'
import { taskIdOf } from '../contract/task-stream.ts'
import { type Counts, createCounts } from './counts.ts'
import { createHoldings, type Release } from './holdings.ts'

// Counts the unfinished tasks and active sessions of each user. The counts are filled once from the read models, then
// updated with each commit.

type Row = { id: string; user_id: string }
const usersOf = (rows: Iterable<Row>) => [...rows].map(({ id, user_id }) => ({ id, user: user_id }))

const createUnfinished = () => {
  const [tasks, sessions] = [createHoldings(), createHoldings()]

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
    tasks,
    sessions,
    /** Updates the counts by the events of a commit. */
    follow(events: readonly Recorded[]): void {
      for (const stored of events) {
        const task = taskEvents.find(stored)
        if (task !== undefined) followTask(task)
        const session = sessionEvents.find(stored)
        if (session !== undefined) followSession(session)
      }
    },
    /** Replaces the counts with those of the read models. */
    fill(unfinished: Iterable<Row>, active: Iterable<Row>): void {
      tasks.fill(usersOf(unfinished))
      sessions.fill(usersOf(active))
    },
  }
}

/** The limit of each quota, by its name. 0: there is no limit. `disk` is in bytes. */
export type QuotaLimits = Readonly<Record<QuotaName, number>>

export const noQuotas = Object.freeze(Object.fromEntries(quotaNames.map(name => [name, 0]))) as QuotaLimits

const nothing = () => {}

export const createQuotas = (limits: QuotaLimits) => {
  const { tasks, sessions, follow, fill } = createUnfinished()
  const [streams, sockets] = [createCounts(), createCounts()]
  const limited = [...quotaNames, ...fixedLimits]
  const refused = new Map<QuotaName | FixedLimit, number>(limited.map(name => [name, 0]))

  const countRefusal = (by: QuotaName | FixedLimit): void => void refused.set(by, (refused.get(by) ?? 0) + 1)

  const refuse = (quota: QuotaName): Refusal => {
    countRefusal(quota)
    return overQuota(quota, limits[quota])
  }
  /** Throws when the quota is used up. */
  const must = (quota: QuotaName, used: number): void => {
    const limit = limits[quota]
    if (limit > 0 && used >= limit) throw refuse(quota)
  }

  const opener = (quota: 'streams' | 'sockets', counts: Counts) => {
    /** `replaces`: the new stream replaces an open stream of this caller, which closes, so the quota is not checked. */
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

  return {
    /**
     * Counts a task that is being created. `isBound` says whether the quota applies: a token of the user creates the
     * task, or created the first task of its tree of subagents.
     */
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
    /** Throws when a user with this many webhooks may not make another one. */
    mayMakeWebhook: (count: number): void => must('webhooks', count),
    openStream: opener('streams', streams),
    openSocket: opener('sockets', sockets),
    /** Throws when a user with this many cron jobs may make no further one. */
    mustHaveCronJob: (used: number): void => must('cron_jobs', used),
    /** Counts a refusal by the disk quota, and returns it. */
    overDisk: (): Refusal => refuse('disk'),
    /** Counts a request that another part of the server refused because of a limit that no variable can set. */
    countRefusal: (by: FixedLimit): void => countRefusal(by),
    follow,
    fill,
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
