// Finds out whether the makers of jobs still have tokens. A job is paused when the last token of its maker's user is
// revoked.
import type { Runtime } from '../../actors/runtime/runtime.ts'
import type { CronCommand } from '../contract/cron-commands.ts'
import { cronStream } from '../contract/cron-events.ts'
import { Refusal } from '../contract/refusals.ts'
import type { CronView } from '../history/cron-job.ts'
import type { Queries } from '../tasks/queries.ts'
import type { CronQueries } from './queries.ts'

/** A request may have deleted or paused the job meanwhile. */
const unlessMoved = (error: unknown): void => {
  if (!(error instanceof Refusal)) throw error
}

export const createMakers = (
  tokens: Pick<Queries, 'hasToken' | 'tokens'>,
  jobs: Pick<CronQueries, 'active'>,
) => {
  /** A maker without a user is a single token: the admin's, which is never revoked, or one in the table of tokens. */
  const isGone = (tokenId: string, userId: string | null): boolean => {
    if (userId !== null) return !tokens.hasToken(userId)
    return tokenId !== 'admin' && !tokens.tokens().some(({ id }) => id === tokenId)
  }
  return {
    isGone,
    /** Pauses the jobs whose makers have no token any more. */
    async check({ ask }: Pick<Runtime<CronView, CronCommand>, 'ask'>): Promise<void> {
      for (const { id, maker_token, maker_user } of jobs.active()) {
        if (!isGone(maker_token, maker_user)) continue
        const stream = cronStream(id)
        await ask(stream, {
          type: 'PauseJob',
          reason: 'token_revoked',
          principal: 'system',
          causation: stream,
        }).catch(unlessMoved)
      }
    },
  }
}
export type Makers = ReturnType<typeof createMakers>
