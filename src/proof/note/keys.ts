// Makes, writes and reads keys of signed notes (C2SP signed-note). A verifier key is <name>+<id>+<base64 of kind and
// public key>. A signing key is PRIVATE+KEY+<name>+<id>+<base64 of kind and seed>.
import { NotProven } from '../not-proven.ts'
import { base64Of, bytesOfBase64, bytesOfText, joined } from './bytes.ts'
import { digestOf, keyBytes, newSeed, publicKeyOf } from './ed25519.ts'

/** `note`: signs the text of a note. `cosignature`: a witness signs a checkpoint and the time. */
export type KeyKind = 'note' | 'cosignature'
const bytesOfKinds: Record<KeyKind, number> = { note: 0x01, cosignature: 0x04 }
const kindOf = (byte: number | undefined): KeyKind | undefined =>
  byte === bytesOfKinds.note ? 'note' : byte === bytesOfKinds.cosignature ? 'cosignature' : undefined

/** `id`: eight hexadecimal digits. `text`: the verifier key as text. */
export type VerifierKey = { name: string; id: string; kind: KeyKind; publicKey: Uint8Array; text: string }
export type SigningKey = { seed: Uint8Array; verifier: VerifierKey }

const nameForm = /^[^\s+]+$/u
const privatePrefix = 'PRIVATE+KEY+'

/** The byte of a key's kind, and then the bytes of the key. */
const typedKey = (kind: KeyKind, key: Uint8Array): Uint8Array =>
  joined(Uint8Array.of(bytesOfKinds[kind]), key)

const idOf = (name: string, typed: Uint8Array): string =>
  digestOf(joined(bytesOfText(`${name}\n`), typed)).slice(0, 8)

const verifierOf = (name: string, kind: KeyKind, publicKey: Uint8Array): VerifierKey => {
  const typed = typedKey(kind, publicKey)
  const id = idOf(name, typed)
  return { name, id, kind, publicKey, text: `${name}+${id}+${base64Of(typed)}` }
}

/** Splits the text of a key. Throws NotProven; the error contains no part of the key, which may be a secret. */
const partsOf = (text: string, what: string) => {
  const [, name = '', id = '', encoded = ''] = /^([^+]*)\+([0-9a-f]{8})\+([\w+/=]+)$/u.exec(text) ?? []
  const typed = bytesOfBase64(encoded)
  const kind = kindOf(typed?.[0])
  if (!nameForm.test(name) || kind === undefined || typed?.length !== 1 + keyBytes)
    throw new NotProven(
      `this is no ${what}: it must be <name>+<8 hexadecimal digits>+<base64 of an Ed25519 key>`,
    )
  return { name, id, kind, key: typed.subarray(1) }
}

/** Reads a verifier key. Throws NotProven. */
export const readVerifierKey = (text: string): VerifierKey => {
  const { name, id, kind, key } = partsOf(text, 'verifier key')
  const verifier = verifierOf(name, kind, key)
  if (verifier.id !== id)
    throw new NotProven(`the verifier key of ${name} names the id ${id}, but its id is ${verifier.id}`)
  return verifier
}

const signingKeyOf = (name: string, kind: KeyKind, seed: Uint8Array): SigningKey => ({
  seed,
  verifier: verifierOf(name, kind, publicKeyOf(seed)),
})

/** Makes a key. Throws NotProven if the name is empty, or contains a space or a plus sign. */
export const makeSigningKey = (name: string, kind: KeyKind): SigningKey => {
  if (!nameForm.test(name))
    throw new NotProven(`${JSON.stringify(name)} is no name of a key: leave out spaces and plus signs`)
  return signingKeyOf(name, kind, newSeed())
}

/** A signing key as the text that its file holds. This text is a secret. */
export const writeSigningKey = ({ seed, verifier: { name, id, kind } }: SigningKey): string =>
  `${privatePrefix}${name}+${id}+${base64Of(typedKey(kind, seed))}`

/** Reads a signing key. Throws NotProven. */
export const readSigningKey = (text: string): SigningKey => {
  if (!text.startsWith(privatePrefix))
    throw new NotProven(`this is no signing key: it must begin with ${privatePrefix}`)
  const { name, id, kind, key } = partsOf(text.slice(privatePrefix.length), 'signing key')
  const signing = signingKeyOf(name, kind, key)
  if (signing.verifier.id !== id)
    throw new NotProven(`the signing key of ${name} names the id ${id}, but its id is ${signing.verifier.id}`)
  return signing
}
