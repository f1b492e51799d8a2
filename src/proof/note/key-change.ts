// Reads changes of the key of a log: events with a note that the new key signed, and the old key if it was still there.
import { NotProven } from '../not-proven.ts'
import { readVerifierKey, type VerifierKey } from './keys.ts'
import { type Note, readNote } from './note.ts'
import { signaturesOf, signersOf } from './signing.ts'

/** The stream in which a log names its keys. */
export const keyStream = 'audit-key'

/** `old` is undefined for the first key. `from`: the position of the event; the key signs trees from this size on. */
export type KeyChange = { old: VerifierKey | undefined; key: VerifierKey; note: Note; from: number }

/** The text that the keys sign. Its second line is no number, so nobody can take the text for a checkpoint. */
export const keyChangeText = (origin: string, old: string | undefined, next: string): string =>
  `${origin}\nchanges its key\nfrom ${old ?? 'none'}\nto ${next}\n`

/** Reads the payload of an event that names a key. Throws NotProven. */
export const readKeyChange = (payload: string, from: number): KeyChange => {
  let data: unknown
  try {
    data = JSON.parse(payload)
  } catch {}
  if (typeof data !== 'object' || data === null || !('vkey' in data && 'old_vkey' in data && 'note' in data))
    throw new NotProven('the payload names no key of the log')
  const { vkey, old_vkey, note } = data
  if (
    typeof vkey !== 'string' ||
    typeof note !== 'string' ||
    !(old_vkey === null || typeof old_vkey === 'string')
  )
    throw new NotProven('the payload names no key of the log')
  const old = old_vkey === null ? undefined : readVerifierKey(old_vkey)
  return { old, key: readVerifierKey(vkey), note: readNote(note), from }
}

/** Whether both keys signed the change. If so, a person who trusts one of the keys can trust the other one too. */
const isSignedByBoth = ({ old, key, note }: KeyChange, origin: string): boolean => {
  if (old === undefined || note.text !== keyChangeText(origin, old.text, key.text)) return false
  try {
    signersOf(note, [old, key])
    return [old, key].every(each => signaturesOf(note, each).length > 0)
  } catch {
    return false
  }
}

/**
 * The keys whose checkpoints count. Without a given key, all keys that the log names count. With a given key, only this
 * key counts, and the keys that are connected with it by changes that both the old and the new key signed.
 */
export const trustedKeys = (
  changes: readonly KeyChange[],
  origin: string,
  given: VerifierKey | undefined,
): VerifierKey[] => {
  if (given === undefined) return changes.map(({ key }) => key)
  const trusted = new Map([[given.text, given]])
  const signed = changes.filter(change => isSignedByBoth(change, origin))
  for (let known = 0; known < trusted.size; ) {
    known = trusted.size
    for (const { old, key } of signed) {
      if (old === undefined || !(trusted.has(old.text) || trusted.has(key.text))) continue
      trusted.set(old.text, old).set(key.text, key)
    }
  }
  return [...trusted.values()]
}
