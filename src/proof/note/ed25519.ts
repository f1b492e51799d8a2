// Ed25519 with keys as 32 raw bytes, which is how notes name them. Node wants keys with a prefix that says their kind.
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto'

/** Bytes of a public key, and of the seed of a private key. */
export const keyBytes = 32
/** Bytes of a signature. */
export const signatureBytes = 64

const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex')
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex')

const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' })

export const newSeed = (): Buffer => randomBytes(keyBytes)

export const publicKeyOf = (seed: Buffer): Buffer =>
  createPublicKey(privateKeyOf(seed)).export({ format: 'der', type: 'spki' }).subarray(-keyBytes)

export const signBytes = (bytes: Buffer, seed: Buffer): Buffer => sign(null, bytes, privateKeyOf(seed))

export const isSignature = (signature: Buffer, bytes: Buffer, publicKey: Buffer): boolean => {
  const key = { key: Buffer.concat([publicPrefix, publicKey]), format: 'der', type: 'spki' } as const
  return signature.length === signatureBytes && verify(null, bytes, createPublicKey(key), signature)
}
