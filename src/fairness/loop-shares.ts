// Shares the time of the event loop between users while the loop is busy. New work of a user who wants far more than
// the others waits, so that the loop has time for the others. A single user never waits here, and users who all want
// about as much as each other never wait either.
//
// These are not places (src/fairness/places.ts): nothing is held, and what limits a user is how long the loop has
// worked, which is known only afterwards.

import { performance } from 'node:perf_hooks'
import type { Timers } from '../contract/ports.ts'
import { createDemands } from './demands.ts'

/**
 * Times in milliseconds. `now` never decreases. `busy` is the time that the event loop has worked since the process
 * started.
 */
type LoopMeter = { now(): number; busy(): number }
const realMeter: LoopMeter = {
  now: () => performance.now(),
  busy: () => performance.eventLoopUtilization().active,
}

/** Measures how long the event loop has worked. */
const createStopwatch = (meter: LoopMeter) => {
  let measuredAt = 0
  let busyThen = 0
  const begin = (): void => {
    measuredAt = meter.now()
    busyThen = meter.busy()
  }
  return {
    /** Starts a measurement. Earlier work does not count. */
    begin,
    /** Ends a measurement and starts the next one. Returns its length, and how much of it the loop worked. */
    lap(): { elapsed: number; worked: number } {
      const [from, busy] = [measuredAt, busyThen]
      begin()
      const elapsed = Math.max(measuredAt - from, 0.01)
      return { elapsed, worked: Math.min(busyThen - busy, elapsed) }
    },
  }
}

export type LoopShares = {
  /**
   * Resolves when work of this user may begin. Undefined: the work may begin at once. `pieces` is the amount of work; a
   * small request is one piece.
   */
  enter(user: string, pieces?: number): Promise<void> | undefined
}
/** Shares for a server with a single user: no work waits. */
export const wholeLoop: LoopShares = { enter: () => undefined }

/**
 * Milliseconds between two looks at the demands of users. Waiting work begins at these looks, much of it together,
 * because pieces of work that begin together cost much less than pieces that begin one by one.
 */
const lookMs = 50
/**
 * The load, from 0 to 1, above which work of users who want too much waits. It is low, so that a request of another user
 * mostly finds the loop idle.
 */
const maxBusyShare = 0.15
/** The most milliseconds of the loop's time that waiting work may take at one look. */
const maxBudgetMs = 10
/** The most milliseconds of work beyond the load that later looks make up for. */
const maxDebtMs = 25
/** The looks in which no work of a user begins until one piece begins even if the loop has no time. */
const maxLooks = 4
/** The longest time that one piece of work is taken to need, in milliseconds. */
const maxCostMs = 20

export const createLoopShares = (timers: Pick<Timers, 'every'>, meter: LoopMeter = realMeter): LoopShares => {
  const demands = createDemands()
  const stopwatch = createStopwatch(meter)
  let stop: (() => void) | undefined
  /** The estimated time of one piece of work, in milliseconds. */
  let cost = 0.5
  /** The pieces of work that began since the last look. */
  let begun = 0
  /** The milliseconds that the loop had for waiting work at the last look. Below 0 when it has worked too much. */
  let budget = 0

  const hasTime = (): boolean => begun * cost < budget
  /** Begins as much waiting work as the loop has time for. */
  const release = (): void => {
    for (const user of demands.all()) {
      user.looks++
      if (user.looks >= maxLooks) begun += demands.beginNext(user)
      while (user.waiting.length > 0 && !demands.isTooMuch(user)) begun += demands.beginNext(user)
    }
    for (let user = demands.next(); user !== undefined && hasTime(); user = demands.next())
      begun += demands.beginNext(user)
  }
  const look = (): void => {
    const { elapsed, worked } = stopwatch.lap()
    if (begun > 0) cost += (Math.min(worked / begun, maxCostMs) - cost) / 4
    begun = 0
    budget = Math.max(-maxDebtMs, Math.min(budget + maxBusyShare * elapsed - worked, maxBudgetMs))
    demands.fade(elapsed)
    release()
    if (!demands.areNone()) return
    stop?.()
    stop = undefined
  }
  const watch = (): void => {
    if (stop !== undefined) return
    stopwatch.begin()
    budget = maxBudgetMs
    stop = timers.every(lookMs, look)
  }

  return {
    enter(name, pieces = 1) {
      watch()
      const user = demands.of(name)
      if (user.waiting.length === 0 && (hasTime() || !demands.isTooMuch(user))) {
        demands.begin(user, pieces)
        begun += pieces
        return undefined
      }
      return new Promise(resolve => demands.wait(user, { pieces, begin: resolve }))
    },
  }
}
