// Reads the keys of a log, and verifies its checkpoints in the browser with the code of the server.
import { NotProven } from '../../src/proof/not-proven.ts'
import { openCheckpoint as open, type SignedCheckpoint } from '../../src/proof/note/checkpoint.ts'
import { readVerifierKey, type VerifierKey } from '../../src/proof/note/keys.ts'

/** `firstSize`: the first size of the log that the key signs. */
export type LogKey = VerifierKey & { firstSize: number }

/** Reads the answer of `GET /v1/audit/public-key`: on each line a verifier key and its first size. Throws NotProven. */
export const readKeys = (text: string): LogKey[] =>
  text
    .trim()
    .split('\n')
    .map(line => {
      const [, key = '', size = ''] = /^(\S+) (\d+)$/.exec(line) ?? []
      return { ...readVerifierKey(key), firstSize: Number(size) }
    })

/** Reads a checkpoint of the log with these keys, and verifies its signatures. Throws NotProven. */
export const openCheckpoint = (note: string, keys: readonly LogKey[]): SignedCheckpoint => {
  const [key] = keys
  if (key === undefined) throw new NotProven('the server names no key of the log')
  return open(note, key.name, keys)
}
