// The bytes that each user has on the disk: counted by walking through the folders, then increased by what the server
// itself writes. Walks run in a thread, one at a time for each user.
import type { Clock, Report } from '../../contract/ports.ts'
import type { Walker } from './walker.ts'

/** Milliseconds between two walks for the same user, at least. */
export const everyMs = 1_000
/**
 * After a walk comes a pause of this many times its duration, so that one user's many files do not delay the others.
 */
const restFactor = 10

type Counted = {
  bytes: number
  /** Bytes added since the present walk began. */
  added: number
  /** An environment may have written or removed files since the last walk. */
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
  /** Bytes at which a walk may stop. */
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
    /** Bytes of all users that have been counted. */
    total: (): number => [...users.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    isNew: (user: string): boolean => countedOf(user).lookedAt === Number.NEGATIVE_INFINITY,
    isOld: (user: string): boolean => countedOf(user).isOld,
    isLooking: (user: string): boolean => countedOf(user).looking !== undefined,
    /** Whether enough time has passed since the last walk. */
    isRested(user: string): boolean {
      const { lookedAt, tookMs } = countedOf(user)
      return performance.now() - lookedAt >= Math.max(everyMs, restFactor * tookMs)
    },
    /** Counts the user's files. Resolves also when the count fails. A walk in progress is shared. */
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
    /** Files were written or removed, and their size is not known. */
    changed(user: string): void {
      countedOf(user).isOld = true
    },
    async close(): Promise<void> {
      isClosed = true
      await walker.close()
    },
  }
}
