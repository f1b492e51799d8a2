// The keys that seal payloads before they leave this machine. A key is on the disk before the first record that names
// it, and each node that may own the log needs the key. When a payload is erased, the keys of its stream are destroyed
// on every node: then nobody can read the payload in the shared log any more.
import type { Clock } from '../../contract/ports.ts'
import type { KeyName } from '../records/content.ts'
import type { StreamKey } from '../records/packed-events.ts'
import { createHeld } from './held-keys.ts'
import { type FiledKey, type KeyFile, openKeyFile } from './key-file.ts'
import { createKeyPool } from './key-pool.ts'
import { createKeyUses } from './key-uses.ts'

const secretsIn = ({ secret, putSecret, dropSecret, secretRefs }: KeyFile) => ({
  secret,
  putSecret,
  dropSecret,
  secretRefs,
})

/** Opens or makes the file. Throws CannotStart. */
export const openStreamKeys = (path: string, clock: Clock) => {
  const file = openKeyFile(path)
  const uses = createKeyUses(file)
  const held = createHeld(file)
  const pool = createKeyPool(file, clock, held.note)
  const { takeNew } = pool
  const listeners: (() => void)[] = []

  const changed = (): void => {
    for (const listener of listeners.splice(0)) listener()
  }
  const destroy = (names: readonly KeyName[]): void => {
    file.commit(() => {
      for (const name of names) file.overwrite(...name)
    })
  }

  return {
    ...pool,
    /** The key that a stream uses, else a new one. `isNew`: the stream is new, so no key of it is in the file. */
    take(streamNo: number, isNew = false): StreamKey {
      const known = uses.of(streamNo, isNew)
      if (known !== undefined) return known
      const key = takeNew()
      uses.begin(streamNo, key)
      return key
    },
    /** Notes the keys that a record names for streams. Called by a node that reads records. */
    use: uses.read,
    /** Notes that one long payload of a stream is sealed by a key that seals nothing else. */
    addUse: uses.add,
    keyOf(...name: KeyName): Buffer | 'destroyed' | undefined {
      const found = file.one(...name)
      return found === undefined ? undefined : (found.key ?? 'destroyed')
    },
    /** Runs work that looks for many keys, and changes nothing. */
    reading: file.reading,
    /** From now on these streams use new keys. What their old keys up to `bound` have sealed is to be erased. */
    retire: uses.retire,
    /** Destroys the retired keys of streams. They are gone from the disk when this returns. */
    destroy(streamNos: readonly number[]): void {
      uses.write()
      destroy(streamNos.flatMap(uses.retired))
      file.commit(() => streamNos.forEach(file.unuse))
    },
    /** Destroys a key that no stream uses. */
    destroyKey: (name: KeyName): void => destroy([name]),
    have: held.have,
    missing: held.missing,
    /** Stores keys that another node has sent. They are on the disk when this returns. */
    store(keys: readonly FiledKey[]): void {
      file.commit(() => keys.forEach(file.add))
      for (const epoch of new Set(keys.map(key => key.epoch))) held.note(epoch)
      changed()
    },
    /** Resolves the next time that keys are stored, or that the standby says which keys it has. */
    stored: (): Promise<void> => new Promise(resolve => void listeners.push(resolve)),
    /** Called when the standby says that it has the keys of this epoch up to `n`. */
    shared(epoch: number, n: number): void {
      pool.shared(epoch, n)
      changed()
    },
    /** Writes the uses of keys that are not in the file yet. */
    write: uses.write,
    forgetUses(): void {
      uses.forget()
      file.forgetUses()
    },
    ...secretsIn(file),
    close(): void {
      uses.write()
      file.close()
    },
  }
}
export type StreamKeys = ReturnType<typeof openStreamKeys>
