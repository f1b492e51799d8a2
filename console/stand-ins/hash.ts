// Stands in for src/proof/tree/hash.ts in the browser. `crypto.subtle` is missing on plain HTTP beyond loopback, so the
// hashes come from a library.
import { sha256 } from '@noble/hashes/sha2.js'
import { NotProven } from '../../src/proof/not-proven.ts'
import { base64urlOf, bytesOf } from '../proof/base64.ts'

export type Hash = string
export const hashBytes = 32
export const emptyRoot: Hash = base64urlOf(sha256(new Uint8Array()))

const read = (hash: Hash): Uint8Array => {
  const bytes = bytesOf(hash)
  if (bytes?.length !== hashBytes)
    throw new NotProven(`${JSON.stringify(hash)} is no hash: a hash has 43 characters of base64url`)
  return bytes
}

export const nodeOf = (left: Hash, right: Hash): Hash => {
  const pair = new Uint8Array(1 + 2 * hashBytes)
  pair[0] = 1
  pair.set(read(left), 1)
  pair.set(read(right), 1 + hashBytes)
  return base64urlOf(sha256(pair))
}

export const toBase64 = (hash: Hash): string => `${hash.replaceAll('-', '+').replaceAll('_', '/')}=`

export const fromBase64 = (text: string): Hash => {
  const hash = text.replaceAll('+', '-').replaceAll('/', '_').replace(/=$/, '')
  if (bytesOf(hash)?.length !== hashBytes || toBase64(hash) !== text)
    throw new NotProven(`${JSON.stringify(text)} is no hash: a hash has 32 bytes in base64`)
  return hash
}
