// How many bytes each user has on the disk: counted by a look at the folders, then added to as we write ourselves.
// Looks happen in a thread, one at a time for each user.
import type { Clock, Report } from '../../contract/ports.ts'
import type { Walker } from './walker.ts'

/** The folders of a user are looked at this often at most. */
export const everyMs = 1_000
/** A look that took long is followed by a pause this many times as long, so that one user's many files keep no others waiting. */
const restFactor = 10

type Counted = {
  bytes: number
  /** Added since the look that is under way began. */
  added: number
  /** Somebody else may have written, or removed, since the last look. */
  isOld: boolean
  lookedAt: number
  tookMs: number
  looking: Promise<void> | undefined
}
const notCounted = (): Counted => ({
  bytes: 0,
  added: 0,
  isOld: true,
  lookedAt: Number.NEGATIVE_INFINITY,
  tookMs: 0,
  looking: undefined,
})

type Deps = {
  walker: Walker
  /** All folders of a user. */
  foldersOf: (user: string) => string[]
  /** A look counts no further than this. */
  enough: number
  clock: Clock
  report: Report
}

export const createCountedBytes = ({ walker, foldersOf, enough, clock, report }: Deps) => {
  const startedAt = clock.now()
  const users = new Map<string, Counted>()
  let isClosed = false

  const countedOf = (user: string): Counted => {
    const counted = users.get(user) ?? notCounted()
    users.set(user, counted)
    return counted
  }

  return {
    of: (user: string): number => countedOf(user).bytes,
    /** Bytes of all users, as far as they were looked at. */
    total: (): number => [...users.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    isNew: (user: string): boolean => countedOf(user).lookedAt === Number.NEGATIVE_INFINITY,
    isOld: (user: string): boolean => countedOf(user).isOld,
    isLooking: (user: string): boolean => countedOf(user).looking !== undefined,
    /** Whether the last look is long enough ago for another. */
    isRested(user: string): boolean {
      const { lookedAt, tookMs } = countedOf(user)
      return performance.now() - lookedAt >= Math.max(everyMs, restFactor * tookMs)
    },
    /** Counts what is there; resolves, too, when that fails. A look that is under way is shared. */
    look(user: string): Promise<void> {
      const counted = countedOf(user)
      counted.looking ??= (async () => {
        const began = performance.now()
        counted.added = 0
        counted.isOld = false
        try {
          const found = await walker.walk({ folders: foldersOf(user), startedAt, enough })
          counted.bytes = found + counted.added
        } catch (error) {
          counted.isOld = true
          if (!isClosed) report('warn', 'the files of a user could not be counted', { error: String(error) })
        }
        counted.lookedAt = performance.now()
        counted.tookMs = counted.lookedAt - began
      })().finally(() => {
        counted.looking = undefined
      })
      return counted.looking
    },
    add(user: string, bytes: number): void {
      const counted = countedOf(user)
      counted.bytes = Math.max(0, counted.bytes + bytes)
      counted.added += bytes
    },
    /** Files were written or removed, nobody has counted how many. */
    changed(user: string): void {
      countedOf(user).isOld = true
    },
    async close(): Promise<void> {
      isClosed = true
      await walker.close()
    },
  }
}
