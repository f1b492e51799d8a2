// What one user, and all, may have at a time, put together: quotas, the disk, and the time of the event loop.
import type { Report, World } from '../contract/ports.ts'
import { createDiskUse } from './disk/disk-use.ts'
import { createWalker } from './disk/walker.ts'
import { createLoopShares } from './loop-shares.ts'
import { createQuotas, type QuotaLimits } from './quotas.ts'

type Deps = {
  limits: QuotaLimits
  /** All folders of a user. */
  foldersOf: (user: string) => string[]
  /** Whether there is a token of this user: others are not bound by quotas. */
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
    /** What was refused and what is used, by quota. */
    counts() {
      const { refused, used } = quotas.counts()
      return { refused, used: { ...used, disk: disk.total() } }
    },
  }
}
export type Fairness = ReturnType<typeof createFairness>
