// The real clock, timers, randomness and ids.
import { randomBytes } from 'node:crypto'
import { uuidv7obj } from 'uuidv7'
import type { World } from './contract/ports.ts'

const pooled = 8192

/** Random bytes are drawn in bulk: a call to the system for each salt would cost more than hashing it. */
const createRandom = () => {
  let pool = Buffer.alloc(0)
  let used = 0
  return {
    text(size: number): string {
      if (used + size > pool.length) {
        pool = randomBytes(Math.max(pooled, size))
        used = 0
      }
      const text = pool.toString('base64url', used, used + size)
      used += size
      return text
    },
  }
}

export const realWorld = (): World => ({
  clock: { now: Date.now },
  timers: {
    after: (ms, job) => {
      const timer = setTimeout(job, ms)
      timer.unref()
      return () => clearTimeout(timer)
    },
    every: (ms, job) => {
      const timer = setInterval(job, ms)
      timer.unref()
      return () => clearInterval(timer)
    },
  },
  random: createRandom(),
  ids: { next: prefix => prefix + uuidv7obj().toHex() },
})
