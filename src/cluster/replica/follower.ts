// Starts and ends the following of the shared log: it begins when a node is a standby, and ends before the node claims.
import type { Following } from '../shared-log.ts'
import { type FollowingDeps, startFollowing } from './following.ts'

export const createFollower = (deps: FollowingDeps) => {
  const { report, failed } = deps
  const told = {
    ...deps,
    failed(error: unknown): void {
      report('error', 'the shared log is not followed any more', { error: String(error) })
      failed(error)
    },
  }
  const follows: { now?: Following | undefined } = {}
  return {
    isFollowing: (): boolean => follows.now !== undefined,
    /** Begins behind the last record that was read. */
    start(): void {
      follows.now ??= startFollowing(told)
    },
    /** Resolves when no further record is taken in. */
    async stop(): Promise<void> {
      await follows.now?.stop()
      follows.now = undefined
    },
  }
}
