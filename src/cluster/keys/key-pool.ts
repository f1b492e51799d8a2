// Keeps the keys that the owner of the log makes in advance, and knows how many of them the standby has.
import { randomBytes, randomInt } from 'node:crypto'
import type { Clock } from '../../contract/ports.ts'
import type { KeyName } from '../records/content.ts'
import type { StreamKey } from '../records/packed-events.ts'
import type { KeyFile } from './key-file.ts'

/** The number of keys that are made in one batch. */
export const keysAtOnce = 1024
/**
 * The number of an epoch is a multiple of this, plus a number by chance. So two claims never have the same epoch, even
 * when the servers have lost records, and both claims have the same sequence.
 */
const perSequence = 2 ** 20
/** When fewer keys than this are left, the next ones are made. */
const fewKeys = 4096
/** A standby counts as present for this many milliseconds after it has last asked for keys. */
const standbyMs = 1000

export const createKeyPool = (file: KeyFile, clock: Clock, added: (epoch: number) => void) => {
  /**
   * The epoch of the keys that are taken now, the number of the next key, and the number of the last key that was made.
   */
  let pool = { epoch: 0, next: 1, made: 0 }
  let ready: StreamKey[] = []
  /** `isStuck`: the standby asks, and stores nothing of what it gets, so nobody waits for it. */
  const standby = { askedAt: Number.NEGATIVE_INFINITY, upTo: 0, isStuck: false }

  const make = (epoch: number): void => {
    if (epoch !== pool.epoch) {
      pool = { epoch, next: 1, made: 0 }
      ready = []
      standby.upTo = 0
      standby.isStuck = false
    }
    const from = pool.made + 1
    const bytes = randomBytes(32 * keysAtOnce)
    const lot = Array.from({ length: keysAtOnce }, (_, i): StreamKey => {
      return { name: [epoch, from + i], key: bytes.subarray(32 * i, 32 * i + 32) }
    })
    file.commit(() => {
      for (const { name, key } of lot) file.add({ epoch, n: name[1], key })
    })
    added(epoch)
    ready.push(...lot)
    pool.made += keysAtOnce
  }
  const isWatched = (): boolean => clock.now() - standby.askedAt <= standbyMs && !standby.isStuck

  return {
    /**
     * Begins the epoch of a claim, which is greater than each epoch whose keys are here, and makes its first keys. They
     * are on the disk when this returns the epoch. `sequence`: that of the claim.
     */
    beginEpoch(sequence: number): number {
      const least = Math.floor(file.lastEpoch() / perSequence) + 1
      const epoch = Math.max(sequence, least) * perSequence + randomInt(perSequence)
      make(epoch)
      return epoch
    },
    /** A new key that no stream uses. */
    takeNew(): StreamKey {
      if (pool.made - pool.next < fewKeys && pool.epoch > 0) make(pool.epoch)
      const key = ready.shift()
      if (key === undefined) throw new Error('no keys were made: claim the log first')
      pool.next++
      return key
    },
    /** The epoch whose keys are taken; 0: no keys were made since the start. */
    epoch: (): number => pool.epoch,
    /** The last key that was taken. A key that is taken later has a greater number or epoch. */
    last: (): KeyName => [pool.epoch, pool.next - 1],
    /** Called when the standby says that it has the keys of this epoch up to `n`. */
    shared(epoch: number, n: number): void {
      standby.askedAt = clock.now()
      if (epoch !== pool.epoch || n <= standby.upTo) return
      standby.upTo = n
      standby.isStuck = false
    },
    /** Whether the standby has the next `count` keys, or no standby asks. */
    isShared: (count: number): boolean => !isWatched() || pool.next + count - 1 <= standby.upTo,
    /** The last key of this epoch that the standby has. */
    sharedUpTo: (): number => standby.upTo,
    /** From now on nobody waits for the standby, until it has stored further keys. */
    giveUp(): void {
      standby.isStuck = true
    },
    /** Whether a key was taken that the standby does not have. */
    isAlone: (): boolean => pool.epoch > 0 && pool.next - 1 > standby.upTo,
  }
}
