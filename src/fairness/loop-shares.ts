// How the time of the event loop is shared while it is short. A user who wants far more of it than the others waits with
// work that has not begun; the others find a loop that is free part of the time. A user alone, or users who all want the
// same, never wait here.
import { performance } from 'node:perf_hooks'
import type { Timers } from '../contract/ports.ts'

/** Milliseconds: `now` never goes back, `busy` is how long the loop has worked, in all. */
export type LoopMeter = { now(): number; busy(): number }
const realMeter: LoopMeter = {
  now: () => performance.now(),
  busy: () => performance.eventLoopUtilization().active,
}

export type LoopShares = {
  /**
   * Resolves when work of this user may begin; undefined: at once. `pieces`: how much work it is; a small request is one.
   */
  enter(user: string, pieces?: number): Promise<void> | undefined
}
/** Of one who shares with nobody. */
export const wholeLoop: LoopShares = { enter: () => undefined }

/** Milliseconds between two looks at who wants how much. */
const lookMs = 10
/** Work of so many milliseconds ago counts a third. */
const memoryMs = 1000
/** The part of its time that the loop works is averaged over so many milliseconds. */
const steadyMs = 60
/** From this part of its time on the loop is short of time. */
const mostBusy = 0.6
/** Pieces of work a second that nobody need wait for. */
const modest = 80
/** How often the even part of all work one user may want. */
const tolerance = 1.25
/** Looks after which one piece of a user's work begins even if the loop has no time at all. */
const mostLooks = 20
/** Milliseconds of the loop that one look may give to those who wait. */
const mostGiven = 20

type Waiting = { pieces: number; begin: () => void }
type User = {
  /** Pieces of work that began, those of long ago forgotten little by little. */
  begun: number
  /** Pieces that wait, in all. */
  wanted: number
  waiting: Waiting[]
  /** Looks since work of this user began. */
  looks: number
}

export const createLoopShares = (timers: Pick<Timers, 'every'>, meter: LoopMeter = realMeter): LoopShares => {
  const users = new Map<string, User>()
  let stop: (() => void) | undefined
  let lookedAt = 0
  let busyThen = 0
  let busyPart = 0
  /** Milliseconds that a piece takes, about. */
  let cost = 2
  let begunSince = 0

  const demandOf = ({ begun, wanted }: User): number => begun + wanted
  const wantsTooMuch = (user: User): boolean => {
    if (users.size < 2 || demandOf(user) < modest) return false
    let all = 0
    for (const other of users.values()) all += demandOf(other)
    return demandOf(user) * users.size > all * tolerance
  }
  const begin = (user: User, pieces: number): void => {
    user.begun += pieces
    user.looks = 0
    begunSince += pieces
  }
  const userOf = (name: string): User => {
    const known = users.get(name) ?? { begun: 0, wanted: 0, waiting: [], looks: 0 }
    users.set(name, known)
    return known
  }

  /** Those who wait are given what is left of the time that the loop may work. */
  const release = (elapsed: number): void => {
    let given = Math.min(mostGiven, Math.max(0, mostBusy - busyPart) * elapsed)
    for (const user of users.values()) {
      const isFree = !wantsTooMuch(user)
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
  const forget = (elapsed: number): void => {
    const left = Math.exp(-elapsed / memoryMs)
    for (const [name, user] of users) {
      user.begun *= left
      if (user.begun < 0.5 && user.waiting.length === 0) users.delete(name)
    }
  }
  const look = (): void => {
    const [now, busy] = [meter.now(), meter.busy()]
    const elapsed = Math.max(now - lookedAt, 0.01)
    const worked = Math.min(busy - busyThen, elapsed)
    lookedAt = now
    busyThen = busy
    busyPart += (worked / elapsed - busyPart) * (1 - Math.exp(-elapsed / steadyMs))
    if (begunSince > 0) cost += (Math.min(worked / begunSince, mostGiven) - cost) / 8
    begunSince = 0
    forget(elapsed)
    release(elapsed)
    if (users.size > 0) return
    stop?.()
    stop = undefined
    busyPart = 0
  }
  const watch = (): void => {
    if (stop !== undefined) return
    lookedAt = meter.now()
    busyThen = meter.busy()
    stop = timers.every(lookMs, look)
  }

  return {
    enter(name, pieces = 1) {
      watch()
      const user = userOf(name)
      if (user.waiting.length === 0 && (busyPart < mostBusy || !wantsTooMuch(user))) {
        begin(user, pieces)
        return undefined
      }
      user.wanted += pieces
      return new Promise(resolve => user.waiting.push({ pieces, begin: resolve }))
    },
  }
}
