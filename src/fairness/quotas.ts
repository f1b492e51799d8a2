// What one user, and all users together, may have open at a time. Everything is counted in memory, and what is being
// made counts from the moment it is allowed. A limit binds new things only: what is there when a limit is lowered goes on.
import { overQuota, type QuotaName, quotaNames, type Refusal } from '../contract/refusals.ts'
import type { Principal } from '../contract/token-events.ts'
import { type Counts, createCounts } from './counts.ts'
import type { Release } from './holdings.ts'
import { createUnfinished } from './unfinished.ts'

/** By the names of the quotas; 0: no limit. `disk`: bytes. */
export type QuotaLimits = Readonly<Record<QuotaName, number>>

export const noQuotas = Object.freeze(Object.fromEntries(quotaNames.map(name => [name, 0]))) as QuotaLimits

const nothing = () => {}

export const createQuotas = (limits: QuotaLimits) => {
  const { tasks, sessions, follow, fill } = createUnfinished()
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

  const opener = (quota: 'streams' | 'sockets', counts: Counts) => {
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

  return {
    /**
     * Counts a task that is being created. `isBound`: the user's token asks for it, or an agent of a task that such a
     * token created.
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
    openStream: opener('streams', streams),
    openSocket: opener('sockets', sockets),
    /** The refusal of a user who has used up the disk; it is counted. */
    overDisk: (): Refusal => refuse('disk'),
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
