// The keys that seal payloads before they leave this machine. A key is on the disk before the first record that names
// it, and each node that may own the log needs it. When a payload is erased, the keys of its stream are destroyed on
// every node: then nobody can read it in the shared log any more.
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../contract/ports.ts'
import type { KeyName } from '../records/content.ts'
import type { StreamKey } from '../records/packed-events.ts'
import { type FiledKey, openKeyFile } from './key-file.ts'
import { createKeyUses } from './key-uses.ts'

/** Keys that are made at once. */
export const keysAtOnce = 1024
/** When fewer keys than this are left, the next ones are made. */
const fewKeys = 512
/** Milliseconds after its last question for which a standby is taken to be there. */
const standbyMs = 3000

/** The keys of an epoch up to a number. */
export type Held = { epoch: number; upTo: number }

/** Opens or makes the file. Throws CannotStart. */
export const openStreamKeys = (path: string, clock: Clock) => {
  const file = openKeyFile(path)
  const uses = createKeyUses(file)
  /** The epoch of the keys that are taken now, the next of them, and the last that was made. */
  let pool = { epoch: 0, next: 1, made: 0 }
  let ready: StreamKey[] = []
  const standby = { askedAt: Number.NEGATIVE_INFINITY, upTo: 0 }
  let listeners: (() => void)[] = []
  /** For each epoch the number up to which its keys are here without a hole. */
  const held = new Map(file.held().map(({ epoch, upTo }) => [epoch, upTo]))

  const noteHeld = (epoch: number): void => {
    let upTo = held.get(epoch) ?? 0
    while (file.one(epoch, upTo + 1) !== undefined) upTo++
    held.set(epoch, upTo)
  }
  const changed = (): void => {
    const told = listeners
    listeners = []
    for (const listener of told) listener()
  }
  const make = (epoch: number): void => {
    if (epoch !== pool.epoch) {
      pool = { epoch, next: 1, made: 0 }
      ready = []
      standby.upTo = 0
    }
    const from = pool.made + 1
    const bytes = randomBytes(32 * keysAtOnce)
    const lot = Array.from({ length: keysAtOnce }, (_, i): StreamKey => {
      return { name: [epoch, from + i], key: bytes.subarray(32 * i, 32 * i + 32) }
    })
    file.commit(() => {
      for (const { name, key } of lot) file.add({ epoch, n: name[1], key })
    })
    noteHeld(epoch)
    ready.push(...lot)
    pool.made += keysAtOnce
  }
  const isWatched = (): boolean => clock.now() - standby.askedAt <= standbyMs
  const takeNew = (): StreamKey => {
    if (pool.made - pool.next < fewKeys && pool.epoch > 0) make(pool.epoch)
    const key = ready.shift()
    if (key === undefined) throw new Error('no keys were made: claim the log first')
    pool.next++
    return key
  }
  const destroy = (names: readonly KeyName[]): void => {
    file.commit(() => {
      for (const name of names) file.overwrite(...name)
    })
  }

  return {
    /** Makes the next keys of an epoch, which are taken from then on. They are on the disk when this returns. */
    make,
    /** The epoch whose keys are taken; 0: no keys were made since the start. */
    epoch: (): number => pool.epoch,
    /** The key of a stream: the one that it uses, else a new one. */
    take(streamNo: number, isNew = false): StreamKey {
      const known = uses.of(streamNo, isNew)
      if (known !== undefined) return known
      const key = takeNew()
      uses.begin(streamNo, key)
      return key
    },
    /** A new key that no stream uses. */
    takeNew,
    /** Notes that a record of a stream names a key, as a node does that reads records. */
    use(streamNo: number, name: KeyName): void {
      const known = uses.of(streamNo, false)
      if (known?.name[0] === name[0] && known.name[1] === name[1]) return
      const key = file.one(...name)?.key
      if (key == null) uses.add(streamNo, name)
      else uses.begin(streamNo, { name, key })
    },
    /** Notes that something of a stream is sealed by a key of its own. */
    addUse: uses.add,
    keyOf(...name: KeyName): Buffer | 'destroyed' | undefined {
      const found = file.one(...name)
      return found === undefined ? undefined : (found.key ?? 'destroyed')
    },
    /** The last key that was taken. Keys that are taken later are later in order, too. */
    last: (): KeyName => [pool.epoch, pool.next - 1],
    /** From now on these streams use new keys. What the old ones, up to `bound`, have sealed is to be erased. */
    retire: uses.retire,
    /** Destroys the retired keys of streams. They are gone from the disk when this returns. */
    destroy(streamNos: readonly number[]): void {
      uses.write()
      destroy(streamNos.flatMap(uses.retired))
      file.commit(() => streamNos.forEach(file.unuse))
    },
    /** Destroys a key that no stream uses. */
    destroyKey: (name: KeyName): void => destroy([name]),
    /** For each epoch the number up to which its keys are here without a hole. */
    have: (): Held[] => [...held].map(([epoch, upTo]) => ({ epoch, upTo })),
    /** Up to `limit` keys that another node lacks, which has these. */
    missing(have: readonly Held[], limit: number): FiledKey[] {
      const known = new Map(have.map(({ epoch, upTo }) => [epoch, upTo]))
      const found: FiledKey[] = []
      for (const [epoch, upTo] of held) {
        const from = known.get(epoch) ?? 0
        if (from < upTo && found.length < limit)
          found.push(...file.later(epoch, from, Math.min(upTo - from, limit - found.length)))
      }
      return found
    },
    /** Stores keys that another node has sent. They are on the disk when this returns. */
    store(keys: readonly FiledKey[]): void {
      file.commit(() => keys.forEach(file.add))
      for (const epoch of new Set(keys.map(key => key.epoch))) noteHeld(epoch)
      changed()
    },
    /** Resolves when keys were stored next. */
    stored: (): Promise<void> => new Promise(resolve => void listeners.push(resolve)),
    /** The standby says that it has the keys of this epoch up to `n`. */
    shared(epoch: number, n: number): void {
      standby.askedAt = clock.now()
      if (epoch === pool.epoch) standby.upTo = Math.max(standby.upTo, n)
      changed()
    },
    /** Whether the standby has the next `count` keys, or no standby asks. */
    isShared: (count: number): boolean => !isWatched() || pool.next + count - 1 <= standby.upTo,
    /** Whether keys are taken that the standby does not have. */
    isAlone: (): boolean => pool.epoch > 0 && pool.next - 1 > standby.upTo,
    /** Writes the uses of keys that are not in the file yet. */
    write: uses.write,
    forgetUses(): void {
      uses.forget()
      file.forgetUses()
    },
    secret: file.secret,
    putSecret: file.putSecret,
    dropSecret: file.dropSecret,
    secretRefs: file.secretRefs,
    close(): void {
      uses.write()
      file.close()
    },
  }
}
export type StreamKeys = ReturnType<typeof openStreamKeys>
