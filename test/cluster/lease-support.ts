// Leases in tests, and the times for which each was held.

import { type Lease, type LeaseDeps, openLease } from '../../src/cluster/lease.ts'
import type { LeaseState } from '../../src/cluster/seen-beats.ts'
import { realWorld } from '../../src/platform/world.ts'

type Ending = { teardown(end: () => unknown): void }
/** From when to when a lease was held, in milliseconds of the clock that all processes of this machine share. */
export type Holding = { from: number; to: number }

const now = () => Number(process.hrtime.bigint()) / 1e6

/** Looks every millisecond whether a lease is held. */
export const holdingsOf = (lease: Lease) => {
  const all: Holding[] = []
  let before = false
  const timer = setInterval(() => {
    const at = now()
    const isMine = lease.isMine()
    const newest = all.at(-1)
    if (isMine && !before) all.push({ from: at, to: at })
    else if (isMine && newest) newest.to = at
    before = isMine
  }, 1)
  timer.unref()
  return { all: () => all, stop: () => clearInterval(timer) }
}

/** The pairs of holdings that overlap. */
export const overlaps = (some: Holding[], others: Holding[]): [Holding, Holding][] =>
  some.flatMap(one =>
    others
      .filter(other => one.from <= other.to && other.from <= one.to)
      .map((other): [Holding, Holding] => [one, other]),
  )

/** A lease that is closed with the test, and what it has told. */
export const leaseOf = (t: Ending, deps: Pick<LeaseDeps, 'settings' | 'node'> & Partial<LeaseDeps>) => {
  const lease = openLease({ timers: realWorld().timers, report: () => {}, ...deps })
  t.teardown(() => lease.close())
  const holdings = holdingsOf(lease)
  t.teardown(() => holdings.stop())
  const told: LeaseState[] = []
  let look = () => {}
  lease.onChange(state => {
    told.push(state)
    look()
  })
  return {
    ...lease,
    holdings,
    told,
    /** Resolves when the newest news is this. */
    is: (state: LeaseState) =>
      new Promise<void>(resolve => {
        const before = look
        look = () => {
          before()
          if (told.at(-1) === state) resolve()
        }
        look()
      }),
  }
}
