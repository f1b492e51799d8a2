// How much one user, and all users together, may have open at a time. All counts are in memory, and a new thing counts
// from the moment it is allowed. A lowered limit applies to new things only; existing ones continue.
import { overQuota, type QuotaName, quotaNames, type Refusal } from '../contract/refusals.ts'
import type { Principal } from '../contract/token-events.ts'
import { type Counts, createCounts } from './counts.ts'
import type { Release } from './holdings.ts'
import { createUnfinished } from './unfinished.ts'

/** By the name of the quota; 0: no limit. `disk` is in bytes. */
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
  /** Throws when the quota is used up. */
  const must = (quota: QuotaName, used: number): void => {
    const limit = limits[quota]
    if (limit > 0 && used >= limit) throw refuse(quota)
  }

  const opener = (quota: 'streams' | 'sockets', counts: Counts) => {
    /** `replaces`: the new one takes the place of another of the same caller, which closes. */
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
     * Counts a task that is being created. `isBound`: quotas apply, because a token of the user asks for it, or an
     * agent of a task that such a token created.
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
    /** Counts and returns the refusal for a user who has used up the disk quota. */
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
