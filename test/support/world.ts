// A world for tests that are the same in every run: its clock moves only when a test moves it, and its ids and random
// bytes follow from a seed.
import type { World } from '../../src/contract/ports.ts'

export type TestWorld = World & {
  /** Moves the clock. Runs every timer that is due by then, in order, and after each the promises that are ready. */
  advance(ms: number): Promise<void>
}

/** A generator of random numbers (mulberry32): small, fast, and good enough for choices of tests. */
export const randomOf = (seed: number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Lets promises and immediates run that are ready. */
export const settle = async (turns = 10): Promise<void> => {
  for (let i = 0; i < turns; i++) await new Promise(resolve => setImmediate(resolve))
}

/** `mark`: a text in every id. Two worlds that write to one log need different marks. */
export const testWorld = (seed = 1, start = Date.parse('2026-01-01T00:00:00.000Z'), mark = ''): TestWorld => {
  const random = randomOf(seed)
  let now = start
  let made = 0
  let timers: { at: number; order: number; job: () => void }[] = []
  const after = (ms: number, job: () => void) => {
    const timer = { at: now + ms, order: made++, job }
    timers.push(timer)
    return () => {
      timers = timers.filter(other => other !== timer)
    }
  }
  return {
    clock: { now: () => now },
    timers: {
      after,
      every(ms, job) {
        let cancel = () => {}
        const again = () => {
          cancel = after(ms, () => {
            again()
            job()
          })
        }
        again()
        return () => cancel()
      },
    },
    random: {
      text: size =>
        Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256))).toString('base64url'),
    },
    ids: { next: prefix => `${prefix}${mark}${(made++).toString().padStart(8, '0')}` },
    async advance(ms) {
      const end = now + ms
      await settle()
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at || a.order - b.order)[0]
        if (next === undefined) break
        timers = timers.filter(timer => timer !== next)
        now = Math.max(now, next.at)
        next.job()
        await settle()
      }
      now = end
      await settle()
    },
  }
}
