// Starts and ends the following of the shared log: it begins when a node is a standby, and ends before the node claims.
import type { Following } from '../shared-log.ts'
import { type FollowingDeps, startFollowing } from './following.ts'

export const createRecordFollower = (deps: FollowingDeps) => {
  const follows: { now?: Following | undefined } = {}
  return {
    isFollowing: (): boolean => follows.now !== undefined,
    /** Begins behind the last record that was read. */
    start(): void {
      follows.now ??= startFollowing(deps)
    },
    /** Resolves when no further record is taken in. */
    async stop(): Promise<void> {
      await follows.now?.stop()
      follows.now = undefined
    },
  }
}
