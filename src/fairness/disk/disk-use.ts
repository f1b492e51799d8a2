// Enforces the disk quota of each user. A write waits for a count only if the user's files were never counted, or if
// the write would be refused by the last count. While environments run for a user, the user's folders are counted
// repeatedly.
import type { Clock, Report, Timers } from '../../contract/ports.ts'
import type { Refusal } from '../../contract/refusals.ts'
import type { DiskShare } from '../../contract/tools.ts'
import { TransientMap } from '../../platform/transient.ts'
import { createCountedBytes, everyMs } from './counted-bytes.ts'
import { leastBytes } from './walk.ts'
import type { Walker } from './walker.ts'

type Deps = {
  walker: Walker
  /** All folders of a user. */
  foldersOf: (user: string) => string[]
  /** The quota in bytes; 0: there is none, and nothing is counted. */
  limit: number
  /** Whether a token belongs to this user. Quotas apply only to users with a token of their own. */
  isBound: (user: string) => boolean
  /** Makes the refusal for a user whose quota is used up. */
  refusal: () => Refusal
  clock: Clock
  timers: Timers
  report: Report
}

/** The number of bytes that a file of this length counts as. */
const ofFile = (bytes: number): number => Math.max(Math.ceil(bytes / leastBytes), 1) * leastBytes
/** The number of bytes that a new file adds. `replaced` is the length of the file that it replaces. */
const growth = (bytes: number, replaced: number | undefined): number =>
  ofFile(bytes) - (replaced === undefined ? 0 : ofFile(replaced))

export const createDiskUse = (deps: Deps) => {
  const { limit, isBound, refusal, timers } = deps
  const counted = createCountedBytes({ ...deps, enough: 2 * limit })
  /** The users for whom environments run, with the functions that stop these environments. */
  const watched = new TransientMap<string, Set<(why: Refusal) => void>>()

  /** Whether the quota applies to this user. It does not apply if the look-up of the user's tokens fails. */
  const mayBeRefused = (user: string): boolean => {
    try {
      return isBound(user)
    } catch {
      return false
    }
  }
  const isOver = (user: string, more: number): boolean =>
    counted.of(user) + more > limit && mayBeRefused(user)

  /** Throws if the user has no room for `more` bytes. Before it throws, it waits for a new count. */
  const mustHaveRoom = async (user: string, more = 0): Promise<void> => {
    if (limit === 0) return
    if (counted.isNew(user)) {
      const looked = counted.look(user)
      if (mayBeRefused(user)) await looked
    } else if (counted.isOld(user) && counted.isRested(user)) void counted.look(user)
    if (!isOver(user, more)) return
    // The user may have removed files since the last count.
    await counted.look(user)
    if (isOver(user, more)) throw refusal()
  }

  const stopLooking = timers.every(everyMs, () => {
    for (const [user, stops] of watched) {
      if (counted.isLooking(user) || !counted.isRested(user)) continue
      void counted.look(user).then(() => {
        if (isOver(user, 0)) for (const stop of [...stops]) stop(refusal())
      })
    }
  })

  return {
    mustHaveRoom,
    shareOf: (user: string): DiskShare => ({
      async take(bytes, replaced) {
        if (limit === 0) return
        const more = growth(bytes, replaced)
        if (more > 0) await mustHaveRoom(user, more)
        counted.add(user, more)
        counted.changed(user) // the write may have made new folders, which are not counted yet
      },
      giveBack(bytes, replaced) {
        if (limit > 0) counted.add(user, -growth(bytes, replaced))
      },
    }),
    /** The length of the longest file that the user may have, in bytes. Undefined: there is no limit. */
    longestFile: (user: string): number | undefined => (limit > 0 && mayBeRefused(user) ? limit : undefined),
    /** Call this when files of the user were written or removed and their size is not known. */
    changed(user: string): void {
      if (limit > 0) counted.changed(user)
    },
    /**
     * Call this when an environment begins to run for the user, and the returned function when it has ended. `stop` is
     * called if the user exceeds the quota meanwhile.
     */
    watch(user: string, stop: (why: Refusal) => void): () => void {
      if (limit === 0) return () => {}
      const stops = watched.get(user) ?? new Set()
      watched.set(user, stops.add(stop))
      return () => {
        counted.changed(user)
        stops.delete(stop)
        if (stops.size === 0) watched.delete(user)
      }
    },
    total: counted.total,
    async close(): Promise<void> {
      stopLooking()
      await counted.close()
    },
  }
}
export type DiskUse = ReturnType<typeof createDiskUse>
