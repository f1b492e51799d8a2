// Keys of signed notes as text (C2SP signed-note): a verifier key is <name>+<id>+<base64 of kind and public key>, and
// a signing key is PRIVATE+KEY+ and the same with the seed in place of the public key.
import { hash } from 'node:crypto'
import { NotProven } from '../not-proven.ts'
import { keyBytes, newSeed, publicKeyOf } from './ed25519.ts'

/** `note`: signs the text of a note. `cosignature`: a witness signs a checkpoint and the time. */
export type KeyKind = 'note' | 'cosignature'
const bytesOfKinds: Record<KeyKind, number> = { note: 0x01, cosignature: 0x04 }
const kindOf = (byte: number | undefined): KeyKind | undefined =>
  byte === bytesOfKinds.note ? 'note' : byte === bytesOfKinds.cosignature ? 'cosignature' : undefined

/** `id`: eight hexadecimal digits. `text`: the verifier key as text. */
export type VerifierKey = { name: string; id: string; kind: KeyKind; publicKey: Buffer; text: string }
export type SigningKey = { seed: Buffer; verifier: VerifierKey }

const nameForm = /^[^\s+]+$/u
const privatePrefix = 'PRIVATE+KEY+'

const idOf = (name: string, typed: Buffer): string =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), typed]), 'hex').slice(0, 8)

const verifierOf = (name: string, kind: KeyKind, publicKey: Buffer): VerifierKey => {
  const typed = Buffer.concat([Buffer.of(bytesOfKinds[kind]), publicKey])
  const id = idOf(name, typed)
  return { name, id, kind, publicKey, text: `${name}+${id}+${typed.toString('base64')}` }
}

/** The parts of a key as text. Throws NotProven without a word of the key, which may be a secret. */
const partsOf = (text: string, what: string) => {
  const [, name = '', id = '', encoded = ''] = /^([^+]*)\+([0-9a-f]{8})\+([\w+/=]+)$/u.exec(text) ?? []
  const typed = Buffer.from(encoded, 'base64')
  const kind = kindOf(typed[0])
  const isWhole = typed.length === 1 + keyBytes && typed.toString('base64') === encoded
  if (!nameForm.test(name) || kind === undefined || !isWhole)
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

const signingKeyOf = (name: string, kind: KeyKind, seed: Buffer): SigningKey => ({
  seed,
  verifier: verifierOf(name, kind, publicKeyOf(seed)),
})

/** Makes a key. The name must not be empty, and must contain no space and no plus sign: else throws NotProven. */
export const makeSigningKey = (name: string, kind: KeyKind): SigningKey => {
  if (!nameForm.test(name))
    throw new NotProven(`${JSON.stringify(name)} is no name of a key: leave out spaces and plus signs`)
  return signingKeyOf(name, kind, newSeed())
}

/** A signing key as the text that its file holds. This text is a secret. */
export const writeSigningKey = ({ seed, verifier: { name, id, kind } }: SigningKey): string =>
  `${privatePrefix}${name}+${id}+${Buffer.concat([Buffer.of(bytesOfKinds[kind]), seed]).toString('base64')}`

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
