// Signs and reads checkpoints (C2SP tlog-checkpoint): notes with the name of a log, its size and the root of its tree.
import { NotProven } from '../not-proven.ts'
import { fromBase64, type Hash, toBase64 } from '../tree/hash.ts'
import type { SigningKey, VerifierKey } from './keys.ts'
import { type Note, readNote, writeNote } from './note.ts'
import { signatureOf, signersOf } from './signing.ts'

/** `origin`: the name of the log. `size`: the number of its events. */
export type Checkpoint = { origin: string; size: number; root: Hash }

/** The name of a log in checkpoints and keys. */
export const originOf = (logId: string): string => `reprise/${logId}`

/** The text of the note for a checkpoint, before it is signed. */
export const writeCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${toBase64(root)}\n`

/** Reads the checkpoint in the text of a note. Lines after the third are allowed and ignored. Throws NotProven. */
export const readCheckpoint = (text: string): Checkpoint => {
  const lines = text.split('\n').slice(0, -1)
  const [origin = '', size = '', root = ''] = lines
  if (lines.length < 3 || lines.includes(''))
    throw new NotProven('this is no checkpoint: its lines must be an origin, a size and a root')
  if (!/^(0|[1-9]\d*)$/.test(size) || !Number.isSafeInteger(Number(size)))
    throw new NotProven(`${JSON.stringify(size.slice(0, 100))} is no size of a log`)
  return { origin, size: Number(size), root: fromBase64(root) }
}

/** Writes a checkpoint as a note that these keys sign, in their order. */
export const signCheckpoint = (checkpoint: Checkpoint, keys: readonly SigningKey[]): string => {
  const text = writeCheckpoint(checkpoint)
  return writeNote({ text, signatures: keys.map(key => signatureOf(text, key)) })
}

export type SignedCheckpoint = Checkpoint & { note: Note; signers: VerifierKey[] }

/**
 * Reads a checkpoint of this log that one of these keys signed. Throws NotProven when the note has another form or
 * another origin, when none of the keys signed it, or when a signature that names one of the keys is wrong.
 */
export const openCheckpoint = (
  text: string,
  origin: string,
  keys: readonly VerifierKey[],
): SignedCheckpoint => {
  const note = readNote(text)
  const checkpoint = readCheckpoint(note.text)
  if (checkpoint.origin !== origin)
    throw new NotProven(`the checkpoint is of ${checkpoint.origin}, not of ${origin}`)
  return { ...checkpoint, note, signers: signersOf(note, keys) }
}
