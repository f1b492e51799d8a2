// Signs and verifies with Ed25519. Keys are 32 raw bytes, as in notes. Node needs a prefix before a key, which says its
// kind. Only this file of the folder needs Node, so a build for browsers replaces only this file.
import {
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'

/** The number of bytes of a public key, and of the seed of a private key. */
export const keyBytes = 32
/** The number of bytes of a signature. */
export const signatureBytes = 64

const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex')
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex')

const privateKeyOf = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' })

/** SHA-256 as hexadecimal digits. */
export const digestOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex')

export const newSeed = (): Uint8Array => randomBytes(keyBytes)

export const publicKeyOf = (seed: Uint8Array): Uint8Array =>
  createPublicKey(privateKeyOf(seed)).export({ format: 'der', type: 'spki' }).subarray(-keyBytes)

export const signBytes = (bytes: Uint8Array, seed: Uint8Array): Uint8Array =>
  sign(null, bytes, privateKeyOf(seed))

export const isSignature = (signature: Uint8Array, bytes: Uint8Array, publicKey: Uint8Array): boolean => {
  const key = { key: Buffer.concat([publicPrefix, publicKey]), format: 'der', type: 'spki' } as const
  return signature.length === signatureBytes && verify(null, bytes, createPublicKey(key), signature)
}
