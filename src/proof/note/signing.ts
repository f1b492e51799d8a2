// Signs and verifies notes. A witness signs the text of a checkpoint with the time (C2SP tlog-cosignature).
import { NotProven } from '../not-proven.ts'
import { bytesOfText, joined } from './bytes.ts'
import { isSignature, signBytes } from './ed25519.ts'
import type { SigningKey, VerifierKey } from './keys.ts'
import type { Note, Signature } from './note.ts'

/** The number of bytes of the time in a cosignature. */
const timeBytes = 8

/** The bytes that a witness signs. `time`: seconds since 1970. */
const cosigned = (text: string, time: bigint): Uint8Array =>
  bytesOfText(`cosignature/v1\ntime ${time}\n${text}`)

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength)

/** The signature of a key over the text of a note. `seconds`: since 1970; only the key of a witness signs them too. */
export const signatureOf = (text: string, { seed, verifier }: SigningKey, seconds = 0): Signature => {
  const { name, id, kind } = verifier
  if (kind === 'note') return { name, id, bytes: signBytes(bytesOfText(text), seed) }
  const time = new Uint8Array(timeBytes)
  viewOf(time).setBigUint64(0, BigInt(seconds))
  return { name, id, bytes: joined(time, signBytes(cosigned(text, BigInt(seconds)), seed)) }
}

/** The time in a cosignature, in seconds since 1970. */
export const timeOf = ({ bytes }: Signature): number => Number(viewOf(bytes).getBigUint64(0))

const fits = (text: string, { bytes }: Signature, { kind, publicKey }: VerifierKey): boolean => {
  if (kind === 'note') return isSignature(bytes, bytesOfText(text), publicKey)
  if (bytes.length <= timeBytes) return false
  return isSignature(bytes.subarray(timeBytes), cosigned(text, viewOf(bytes).getBigUint64(0)), publicKey)
}

/** The signatures of a note that claim to be of this key. */
export const signaturesOf = ({ signatures }: Note, { name, id }: VerifierKey): Signature[] =>
  signatures.filter(signature => signature.name === name && signature.id === id)

/**
 * Those of the given keys that signed the note; at least one. Signatures of other keys are ignored. Throws NotProven
 * when none of the given keys signed the note, or when a signature that names one of them is wrong.
 */
export const signersOf = (note: Note, keys: readonly VerifierKey[]): VerifierKey[] => {
  const signers = keys.filter(key => {
    const claimed = signaturesOf(note, key)
    if (!claimed.every(signature => fits(note.text, signature, key)))
      throw new NotProven(`the signature of ${key.name} does not fit the text of the note`)
    return claimed.length > 0
  })
  if (signers.length > 0) return signers
  const names = note.signatures.map(({ name, id }) => `${name}+${id}`)
  const known = keys.map(({ name, id }) => `${name}+${id}`)
  throw new NotProven(
    `the note is signed by ${names.join(', ')}, and none of these is a given key (${known.join(', ') || 'no key was given'})`,
  )
}
