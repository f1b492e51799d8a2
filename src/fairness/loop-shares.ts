// How the time of the event loop is shared while it is short. A user who wants far more of it than the others waits with
// work that has not begun; the others find a loop that is free part of the time. A user alone, or users who all want the
// same, never wait here.
import type { Timers } from '../contract/ports.ts'
import { createDemands, type Demand } from './demands.ts'
import { createLoopLoad, type LoopMeter, realMeter } from './loop-load.ts'

export type LoopShares = {
  /**
   * Resolves when work of this user may begin; undefined: at once. `pieces`: how much work it is; a small request is one.
   */
  enter(user: string, pieces?: number): Promise<void> | undefined
}
/** For one who shares with nobody: nothing waits. */
export const wholeLoop: LoopShares = { enter: () => undefined }

/** Milliseconds between two looks at who wants how much. */
const lookMs = 10
/** The loop is short of time when it works for this part of it or more. */
const mostBusy = 0.6
/** After this many looks, one piece of a user's work begins even if the loop has no time at all. */
const mostLooks = 20
/** Milliseconds of the loop's time that one look may give to users who wait. */
const mostGiven = 20

export const createLoopShares = (timers: Pick<Timers, 'every'>, meter: LoopMeter = realMeter): LoopShares => {
  const demands = createDemands()
  const load = createLoopLoad(meter)
  let stop: (() => void) | undefined
  /** Milliseconds that a piece takes, about. */
  let cost = 2
  let begunSince = 0

  const begin = (user: Demand, pieces: number): void => {
    user.begun += pieces
    user.looks = 0
    begunSince += pieces
  }
  /** Begins work that waits, as far as the loop has time for it. */
  const release = (elapsed: number): void => {
    let given = Math.min(mostGiven, Math.max(0, mostBusy - load.busyPart()) * elapsed)
    for (const user of demands.all()) {
      const isFree = !demands.isTooMuch(user)
      user.looks++
      while (isFree || given > 0 || user.looks > mostLooks) {
        const next = user.waiting.shift()
        if (next === undefined) break
        given -= cost * next.pieces
        user.wanted -= next.pieces
        begin(user, next.pieces)
        next.begin()
      }
    }
  }
  const look = (): void => {
    const { elapsed, worked } = load.measure()
    if (begunSince > 0) cost += (Math.min(worked / begunSince, mostGiven) - cost) / 8
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
      if (user.waiting.length === 0 && (load.busyPart() < mostBusy || !demands.isTooMuch(user))) {
        begin(user, pieces)
        return undefined
      }
      user.wanted += pieces
      return new Promise(resolve => user.waiting.push({ pieces, begin: resolve }))
    },
  }
}
