// The real clock, timers, randomness and ids.
import { randomBytes } from 'node:crypto'
import { V7Generator } from 'uuidv7'
import type { World } from '../contract/ports.ts'

/** The number of random bytes in one request to the system. */
const pooled = 8192

/** Takes random bytes from a pool, since a system call for each salt would cost more than hashing it. */
const createRandom = () => {
  let pool = Buffer.alloc(0)
  let used = 0
  /** Returns the place in the pool where the next `size` bytes begin. */
  const draw = (size: number): number => {
    if (used + size > pool.length) {
      pool = randomBytes(Math.max(pooled, size))
      used = 0
    }
    used += size
    return used - size
  }
  return {
    text(size: number): string {
      const at = draw(size)
      return pool.toString('base64url', at, at + size)
    },
    /** A whole number below 2^32. */
    word(): number {
      const at = draw(4) // this comes before `pool` is read, since it may replace the pool
      return pool.readUInt32LE(at)
    },
  }
}

/** Makes ids that are ordered by time. Their random bits come from the pool of `random`. */
const createIds = (random: { word(): number }) => {
  const generator = new V7Generator({ nextUint32: random.word })
  const bytes = Buffer.alloc(16)
  return {
    next(prefix: string): string {
      bytes.set(generator.generate().bytes) // `toHex` of the generator would join 32 strings
      return prefix + bytes.toString('hex')
    },
  }
}

export const realWorld = (): World => {
  const random = createRandom()
  return {
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
    random,
    ids: createIds(random),
  }
}
