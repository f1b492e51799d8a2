// What each user may have on the disk. Nobody waits for a count but the first use of a user and those who would be
// refused. While environments run for a user, the folders are counted again and again.
import type { Clock, Report, Timers } from '../../contract/ports.ts'
import type { Refusal } from '../../contract/refusals.ts'
import type { DiskShare } from '../../contract/tools.ts'
import { createCountedBytes, everyMs } from './counted-bytes.ts'
import { leastBytes } from './walk.ts'
import type { Walker } from './walker.ts'

type Deps = {
  walker: Walker
  /** All folders of a user. */
  foldersOf: (user: string) => string[]
  /** The quota in bytes; 0: none, and nothing is counted. */
  limit: number
  /** Whether there is a token of this user: others are not bound by quotas. */
  isBound: (user: string) => boolean
  /** The refusal of a user who may have no more. */
  refusal: () => Refusal
  clock: Clock
  timers: Timers
  report: Report
}

/** What a file of this length counts. */
const ofFile = (bytes: number): number => Math.max(Math.ceil(bytes / leastBytes), 1) * leastBytes
/** What a new file adds; `replaced`: the length of the one that it takes the place of. */
const growth = (bytes: number, replaced: number | undefined): number =>
  ofFile(bytes) - (replaced === undefined ? 0 : ofFile(replaced))

export const createDiskUse = (deps: Deps) => {
  const { limit, isBound, refusal, timers } = deps
  const counted = createCountedBytes({ ...deps, enough: 2 * limit })
  /** Users for whom environments are at work, and what stops these. */
  const watched = new Map<string, Set<(why: Refusal) => void>>()

  /** An error of ours refuses nobody. */
  const mayBeRefused = (user: string): boolean => {
    try {
      return isBound(user)
    } catch {
      return false
    }
  }
  const isOver = (user: string, more: number): boolean =>
    counted.of(user) + more > limit && mayBeRefused(user)

  /** Throws when the user has no room for `more` bytes, after a count if the last one may be out of date. */
  const mustHaveRoom = async (user: string, more = 0): Promise<void> => {
    if (limit === 0) return
    if (counted.isNew(user)) {
      const looked = counted.look(user)
      if (mayBeRefused(user)) await looked
    } else if (counted.isOld(user) && counted.isRested(user)) void counted.look(user)
    if (!isOver(user, more)) return
    // Something may have been removed meanwhile.
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
        counted.changed(user) // folders are made for it that nobody has counted
      },
      giveBack(bytes, replaced) {
        if (limit > 0) counted.add(user, -growth(bytes, replaced))
      },
    }),
    /** No file of the user may be longer; undefined: any may. */
    longestFile: (user: string): number | undefined => (limit > 0 && mayBeRefused(user) ? limit : undefined),
    /** Files of the user were written or removed, nobody has counted how many. */
    changed(user: string): void {
      if (limit > 0) counted.changed(user)
    },
    /** An environment is at work for the user until the answer is called; `stop` is called when it writes too much. */
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
