// Shares the time of the event loop between users while the loop is busy. New work of a user who wants far more than
// the others waits, so that the loop has time for the others. A single user never waits here, and users who all want
// about as much as each other never wait either.
import type { Timers } from '../contract/ports.ts'
import { createDemands, type Demand } from './demands.ts'
import { createLoopLoad, type LoopMeter, realMeter } from './loop-load.ts'

export type LoopShares = {
  /**
   * Resolves when work of this user may begin. Undefined: the work may begin at once. `pieces` is the amount of work; a
   * small request is one piece.
   */
  enter(user: string, pieces?: number): Promise<void> | undefined
}
/** Shares for a server with a single user: no work waits. */
export const wholeLoop: LoopShares = { enter: () => undefined }

/** Milliseconds between two looks at the demands of users. */
const lookMs = 10
/**
 * The load, from 0 to 1, at which work of users who want too much begins to wait. It is low, so that a request of
 * another user mostly finds the loop idle.
 */
const maxBusyShare = 0.25
/** The number of looks after which one piece of a user's work begins even if the loop has no time. */
const maxLooks = 20
/** The most milliseconds of the loop's time that one look may give to waiting work. */
const maxBudgetMs = 20

export const createLoopShares = (timers: Pick<Timers, 'every'>, meter: LoopMeter = realMeter): LoopShares => {
  const demands = createDemands()
  const load = createLoopLoad(meter)
  let stop: (() => void) | undefined
  /** The estimated time of one piece of work, in milliseconds. */
  let cost = 2
  let begunSince = 0

  const begin = (user: Demand, pieces: number): void => {
    user.begun += pieces
    user.looks = 0
    begunSince += pieces
  }
  /** Begins as much waiting work as the loop has time for. */
  const release = (elapsed: number): void => {
    let budget = Math.min(maxBudgetMs, Math.max(0, maxBusyShare - load.busyPart()) * elapsed)
    for (const user of demands.all()) {
      const isFree = !demands.isTooMuch(user)
      user.looks++
      while (isFree || budget > 0 || user.looks > maxLooks) {
        const next = user.waiting.shift()
        if (next === undefined) break
        budget -= cost * next.pieces
        user.wanted -= next.pieces
        begin(user, next.pieces)
        next.begin()
      }
    }
  }
  const look = (): void => {
    const { elapsed, worked } = load.measure()
    if (begunSince > 0) cost += (Math.min(worked / begunSince, maxBudgetMs) - cost) / 8
    begunSince = 0
    demands.fade(elapsed)
    release(elapsed)
    if (!demands.areNone()) return
    stop?.()
    stop = undefined
  }
  const watch = (): void => {
    if (stop !== undefined) return
    load.begin()
    stop = timers.every(lookMs, look)
  }

  return {
    enter(name, pieces = 1) {
      watch()
      const user = demands.of(name)
      if (user.waiting.length === 0 && (load.busyPart() < maxBusyShare || !demands.isTooMuch(user))) {
        begin(user, pieces)
        return undefined
      }
      user.wanted += pieces
      return new Promise(resolve => user.waiting.push({ pieces, begin: resolve }))
    },
  }
}
