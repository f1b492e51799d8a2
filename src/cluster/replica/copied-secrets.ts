// Stores the secret values that the shared log carries. Most are in one file of this node; some have a file of their
// own, such as the key that signs checkpoints. The key file says which version of each value is in the log.
import { hash } from 'node:crypto'
import { readPlainFile, renameSynced, whatStandsAt, writeSynced } from '../../platform/files/plain-file.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { StreamKeys } from '../keys/stream-keys.ts'
import type { KeyName } from '../records/content.ts'

const digestOf = (text: string): string => hash('sha256', text, 'base64url')

/** `files`: the paths of files that are published like secrets, by their refs. */
export const createCopiedSecrets = (local: Secrets, keys: StreamKeys, files: Record<string, string> = {}) => {
  /** What this node has under a ref, as text. */
  const textOf = (ref: string): string | undefined => {
    const file = files[ref]
    if (file !== undefined) return whatStandsAt(file) === 'file' ? readPlainFile(file) : undefined
    const values = local.get(ref)
    return values && JSON.stringify(values)
  }
  const store = (ref: string, text: string): void => {
    const file = files[ref]
    if (file === undefined) local.put(ref, JSON.parse(text))
    else {
      writeSynced(`${file}.new`, text)
      renameSynced(`${file}.new`, file)
    }
  }
  /** Notes that the log has this text under the ref, and destroys the key that has sealed the text before. */
  const noted = (ref: string, name: KeyName, text: string): void => {
    const before = keys.secret(ref)
    keys.putSecret(ref, { name, digest: digestOf(text) })
    if (before !== undefined && String(before.name) !== String(name)) keys.destroyKey(before.name)
  }
  const forgotten = (ref: string): void => {
    const before = keys.secret(ref)
    if (before === undefined) return
    keys.destroyKey(before.name)
    keys.dropSecret(ref)
  }
  return {
    /** Called for a record that has this text. */
    put(ref: string, name: KeyName, text: string): void {
      if (String(keys.secret(ref)?.name) === String(name)) return // it was read before
      store(ref, text)
      noted(ref, name, text)
    },
    /** Called for a record which says that the values were removed. */
    forget(ref: string): void {
      if (files[ref] === undefined) local.forget(ref)
      forgotten(ref)
    },
    textOf,
    noted,
    forgotten,
    isFile: (ref: string): boolean => files[ref] !== undefined,
    /** The refs whose text here differs from that in the log: those to publish, and those to forget. */
    differences(): string[] {
      const here = [...local.refs(), ...Object.keys(files)]
      const changed = here.filter(ref => {
        const text = textOf(ref)
        return text !== undefined && keys.secret(ref)?.digest !== digestOf(text)
      })
      const known = new Set(here)
      return [...changed, ...keys.secretRefs().filter(ref => !known.has(ref))]
    },
  }
}
export type CopiedSecrets = ReturnType<typeof createCopiedSecrets>
