// What each user has on the disk: found out by looking, then added to as we write ourselves, and looked at again where
// others may have written. Looking happens in a thread, and nobody waits for it but the first use of a user and those
// who would be refused.
import type { Clock, Report, Timers } from '../../contract/ports.ts'
import type { Refusal } from '../../contract/refusals.ts'
import type { DiskShare } from '../../contract/tools.ts'
import { leastBytes } from './walk.ts'
import type { Walker } from './walker.ts'

/** While environments run for a user, the folders are looked at this often, or less if it takes long. */
const everyMs = 1_000
/** Of the time that a look takes, so many times pass before the next: one user's many files keep no others waiting. */
const restFactor = 10

type Known = {
  bytes: number
  /** Added since the look that is under way has begun. */
  added: number
  /** Somebody else may have written, or removed, since. */
  isOld: boolean
  lookedAt: number
  tookMs: number
  looking: Promise<void> | undefined
}

type Parts = {
  walker: Walker
  /** All folders of a user. */
  foldersOf: (user: string) => string[]
  /** The quota in bytes; 0: none, and nothing is counted. */
  limit: number
  /** Whether there is a token of this user: others are not bound by quotas. */
  isBound: (user: string) => boolean
  /** What a user is told who may have no more. */
  refusal: () => Refusal
  clock: Clock
  timers: Timers
  report: Report
}

export const createDiskUse = ({
  walker,
  foldersOf,
  limit,
  isBound,
  refusal,
  clock,
  timers,
  report,
}: Parts) => {
  const startedAt = clock.now()
  let isClosed = false
  /** A trouble of ours refuses nobody. */
  const mayBeRefused = (user: string): boolean => {
    try {
      return isBound(user)
    } catch {
      return false
    }
  }
  const users = new Map<string, Known>()
  /** Users for whom environments are at work, and who is told when that is too much. */
  const watched = new Map<string, Set<(why: Refusal) => void>>()

  const knownOf = (user: string): Known => {
    let known = users.get(user)
    if (known === undefined) {
      known = {
        bytes: 0,
        added: 0,
        isOld: true,
        lookedAt: Number.NEGATIVE_INFINITY,
        tookMs: 0,
        looking: undefined,
      }
      users.set(user, known)
    }
    return known
  }

  /** One look at a time for each user. */
  const look = (user: string): Promise<void> => {
    const known = knownOf(user)
    known.looking ??= (async () => {
      const began = performance.now()
      known.added = 0
      known.isOld = false
      try {
        const found = await walker.walk({ folders: foldersOf(user), startedAt, enough: 2 * limit })
        known.bytes = found + known.added
      } catch (error) {
        known.isOld = true
        if (!isClosed) report('warn', 'the files of a user could not be counted', { error: String(error) })
      }
      known.lookedAt = performance.now()
      known.tookMs = known.lookedAt - began
    })().finally(() => {
      known.looking = undefined
    })
    return known.looking
  }
  const isRested = ({ lookedAt, tookMs }: Known): boolean =>
    performance.now() - lookedAt >= Math.max(everyMs, restFactor * tookMs)

  const isOver = (user: string, more: number): boolean =>
    knownOf(user).bytes + more > limit && mayBeRefused(user)

  /** Throws when the user has no room for so many bytes, after a look if the last one may be out of date. */
  const mustHaveRoom = async (user: string, more = 0): Promise<void> => {
    if (limit === 0) return
    const known = knownOf(user)
    if (known.lookedAt === Number.NEGATIVE_INFINITY) {
      const looked = look(user)
      if (mayBeRefused(user)) await looked
    } else if (known.isOld && isRested(known)) void look(user)
    if (!isOver(user, more)) return
    // Something may have been removed meanwhile.
    await look(user)
    if (isOver(user, more)) throw refusal()
  }

  const stopLooking = timers.every(everyMs, () => {
    for (const [user, stops] of watched) {
      const known = knownOf(user)
      if (known.looking !== undefined || !isRested(known)) continue
      void look(user).then(() => {
        if (isOver(user, 0)) for (const stop of [...stops]) stop(refusal())
      })
    }
  })

  const add = (user: string, bytes: number): void => {
    const known = knownOf(user)
    known.bytes = Math.max(0, known.bytes + bytes)
    known.added += bytes
  }
  const ofFile = (bytes: number): number => Math.max(Math.ceil(bytes / leastBytes), 1) * leastBytes
  const growth = (bytes: number, replaced: number | undefined): number =>
    ofFile(bytes) - (replaced === undefined ? 0 : ofFile(replaced))

  return {
    mustHaveRoom,
    shareOf: (user: string): DiskShare => ({
      async take(bytes, replaced) {
        if (limit === 0) return
        const more = growth(bytes, replaced)
        if (more > 0) await mustHaveRoom(user, more)
        add(user, more)
        knownOf(user).isOld = true // folders are made for it that nobody has counted
      },
      giveBack(bytes, replaced) {
        if (limit > 0) add(user, -growth(bytes, replaced))
      },
    }),
    /** No file of the user may be longer; undefined: any may. */
    longestFile: (user: string): number | undefined => (limit > 0 && mayBeRefused(user) ? limit : undefined),
    /** Files of the user were written or removed, nobody has counted how many. */
    changed(user: string): void {
      if (limit > 0) knownOf(user).isOld = true
    },
    /** An environment is at work for the user until the answer is called; `stop` is called when it writes too much. */
    watch(user: string, stop: (why: Refusal) => void): () => void {
      if (limit === 0) return () => {}
      const stops = watched.get(user) ?? new Set()
      watched.set(user, stops.add(stop))
      return () => {
        knownOf(user).isOld = true
        stops.delete(stop)
        if (stops.size === 0) watched.delete(user)
      }
    },
    /** Bytes of all users, as far as they were looked at. */
    total: (): number => [...users.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    async close(): Promise<void> {
      isClosed = true
      stopLooking()
      await walker.close()
    },
  }
}
export type DiskUse = ReturnType<typeof createDiskUse>
