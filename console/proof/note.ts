// Signed notes and the keys of a log (C2SP signed-note), read and verified in the browser.
import { hashes, verify } from '@noble/ed25519'
import { sha512 } from '@noble/hashes/sha2.js'
import { NotProven } from '../../src/proof/not-proven.ts'
import { bytesOf } from './base64.ts'

hashes.sha512 = sha512

/** The first byte of a key that signs the text of a note. */
const noteKey = 1
const keyBytes = 32
/** Before a signature stand the four bytes of the id of its key. */
const idBytes = 4

export type LogKey = { name: string; id: string; publicKey: Uint8Array; firstSize: number }
export type Checkpoint = { origin: string; size: number; root: string }

const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')

/** Reads the answer of `GET /v1/audit/public-key`: on each line a verifier key and the first size that it signs. */
export const readKeys = (text: string): LogKey[] =>
  text
    .trim()
    .split('\n')
    .map(line => {
      const [, name = '', id = '', encoded = '', size = ''] =
        /^([^\s+]+)\+([0-9a-f]{8})\+([\w+/=]+) (\d+)$/.exec(line) ?? []
      const typed = bytesOf(encoded)
      if (typed?.length !== 1 + keyBytes || typed[0] !== noteKey)
        throw new NotProven(`${JSON.stringify(line.slice(0, 80))} is no key of a log`)
      return { name, id, publicKey: typed.slice(1), firstSize: Number(size) }
    })

/** The checkpoint of a signed note, and the key that signed it. Throws NotProven. */
export const openCheckpoint = (note: string, keys: readonly LogKey[]) => {
  const gap = note.lastIndexOf('\n\n')
  const text = note.slice(0, gap + 1)
  const [origin = '', size = '', root = ''] = text.split('\n')
  if (gap < 0 || !/^\d+$/.test(size) || bytesOf(root)?.length !== 32)
    throw new NotProven('this is no checkpoint: its lines must be an origin, a size and a root')
  for (const line of note.slice(gap + 2).split('\n')) {
    const [, name, encoded = ''] = /^— (\S+) (\S+)$/.exec(line) ?? []
    const bytes = bytesOf(encoded)
    const key = keys.find(
      known => known.name === name && bytes && hexOf(bytes.slice(0, idBytes)) === known.id,
    )
    if (key === undefined || bytes === undefined) continue
    if (!verify(bytes.slice(idBytes), new TextEncoder().encode(text), key.publicKey))
      throw new NotProven('the signature does not fit the text of the checkpoint')
    return { origin, size: Number(size), root, key }
  }
  throw new NotProven('no key of the log has signed this checkpoint')
}
