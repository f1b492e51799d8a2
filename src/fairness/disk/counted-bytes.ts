// Counts the bytes that each user has on the disk, by a walk through the user's folders. Until the next walk, the
// server adds what it writes itself. Walks run in a thread, one at a time for each user.
import type { Clock, Report } from '../../contract/ports.ts'
import type { Walker } from './walker.ts'

/** The shortest time between two walks for one user, in milliseconds. */
export const everyMs = 1_000
/**
 * The pause after a walk is the duration of the walk times this factor, so that a user with many files does not delay
 * the others.
 */
const restFactor = 10

type Counted = {
  bytes: number
  /** The bytes that the server has added since the present walk began. */
  added: number
  /** True: an environment may have written or removed files since the last walk. */
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
  /** The number of bytes at which a walk may stop. */
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
    /** The bytes of all users whose files have been counted. */
    total: (): number => [...users.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    isNew: (user: string): boolean => countedOf(user).lookedAt === Number.NEGATIVE_INFINITY,
    isOld: (user: string): boolean => countedOf(user).isOld,
    isLooking: (user: string): boolean => countedOf(user).looking !== undefined,
    /** Whether enough time has passed since the last walk. */
    isRested(user: string): boolean {
      const { lookedAt, tookMs } = countedOf(user)
      return performance.now() - lookedAt >= Math.max(everyMs, restFactor * tookMs)
    },
    /** Counts the user's files. Also resolves if the count fails. Calls during a walk share that walk. */
    look(user: string): Promise<void> {
      const counted = countedOf(user)
      counted.looking ??= (async () => {
        const began = performance.now()
        counted.added = 0
        counted.isOld = false
        try {
          const bytes = await walker.walk({ folders: foldersOf(user), startedAt, enough })
          counted.bytes = bytes + counted.added
        } catch (error) {
          counted.isOld = true
          if (!isClosed)
            report('warn', 'the files of a user could not be counted: the disk quota uses the last count', {
              error: String(error),
            })
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
    /** Call this when files were written or removed and their size is not known. */
    changed(user: string): void {
      countedOf(user).isOld = true
    },
    async close(): Promise<void> {
      isClosed = true
      await walker.close()
    },
  }
}
