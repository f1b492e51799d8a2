// Lets records go out only when the standby has the keys that they may need. Records wait in their order.
import type { Timers } from '../../contract/ports.ts'
import type { StreamKeys } from '../keys/stream-keys.ts'

/** A record waits for at most this many keys. */
const mostKeys = 256
/** Milliseconds between two checks whether a standby still asks for keys. */
const lookMs = 250

/** A standby that asks, but has stored nothing for this many milliseconds, has a full disk, for example: nobody waits on. */
const stuckMs = 3000

type Keys = Pick<StreamKeys, 'isShared' | 'stored' | 'sharedUpTo' | 'giveUp'>

export const createKeyGate = (keys: Keys, timers: Timers) => {
  /** Resolves when the work on the last waiting record has begun. */
  let last: Promise<void> | undefined

  const shared = async (count: number): Promise<void> => {
    let [upTo, since] = [keys.sharedUpTo(), performance.now()]
    while (!keys.isShared(count)) {
      if (keys.sharedUpTo() > upTo) [upTo, since] = [keys.sharedUpTo(), performance.now()]
      if (performance.now() - since > stuckMs) return keys.giveUp()
      let cancel = () => {}
      const late = new Promise<void>(resolve => {
        cancel = timers.after(lookMs, resolve)
      })
      await Promise.race([keys.stored(), late])
      cancel()
    }
  }
  /** Begins work that takes up to `count` new keys, when the standby has them, or the next `mostKeys` of them. */
  return <T>(count: number, begin: () => Promise<T>): Promise<T> => {
    const needed = Math.min(count, mostKeys)
    if (last === undefined && keys.isShared(needed)) return begin()
    const before = last
    let opened = () => {}
    const mine = new Promise<void>(resolve => {
      opened = resolve
    })
    last = mine
    return Promise.resolve(before)
      .then(() => shared(needed))
      .then(() => {
        try {
          return begin()
        } finally {
          if (last === mine) last = undefined
          opened()
        }
      })
  }
}
