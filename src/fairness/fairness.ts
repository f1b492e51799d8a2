// Puts together the limits of users: quotas, the disk quota, and shares of the event loop.
import type { Report, World } from '../contract/ports.ts'
import { createDiskUse } from './disk/disk-use.ts'
import { createWalker } from './disk/walker.ts'
import { createLoopShares } from './loop-shares.ts'
import { createQuotas, type QuotaLimits } from './quotas.ts'

type Deps = {
  limits: QuotaLimits
  foldersOf: (user: string) => string[]
  /** Whether a token belongs to this user. Quotas apply only to users with a token of their own. */
  isBound: (user: string) => boolean
  world: Pick<World, 'clock' | 'timers'>
  report: Report
}

export const createFairness = ({ limits, foldersOf, isBound, world, report }: Deps) => {
  const { clock, timers } = world
  const quotas = createQuotas(limits)
  const disk = createDiskUse({
    walker: createWalker(timers),
    foldersOf,
    limit: limits.disk,
    isBound,
    refusal: quotas.overDisk,
    clock,
    timers,
    report,
  })
  return {
    quotas,
    disk,
    loop: createLoopShares(timers),
    /** For the metrics: the number of refusals of each quota, and what all users together use. */
    counts() {
      const { refused, used } = quotas.counts()
      return { refused, used: { ...used, disk: disk.total() } }
    },
  }
}
export type Fairness = ReturnType<typeof createFairness>
