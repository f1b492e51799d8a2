// Stands in for src/proof/note/ed25519.ts in the browser: `crypto.subtle` is missing on plain HTTP beyond loopback.
import { getPublicKey, hashes, sign, utils, verify } from '@noble/ed25519'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { hexOf } from '../../src/proof/note/bytes.ts'

hashes.sha512 = sha512

export const keyBytes = 32
export const signatureBytes = 64

export const digestOf = (bytes: Uint8Array): string => hexOf(sha256(bytes))
export const newSeed = (): Uint8Array => utils.randomSecretKey()
export const publicKeyOf = (seed: Uint8Array): Uint8Array => getPublicKey(seed)
export const signBytes = (bytes: Uint8Array, seed: Uint8Array): Uint8Array => sign(bytes, seed)
export const isSignature = (signature: Uint8Array, bytes: Uint8Array, publicKey: Uint8Array): boolean =>
  signature.length === signatureBytes && verify(signature, bytes, publicKey)
