// The hashes of the tree. A hash is a text of 43 characters of base64url, as the log stores leaves: texts can be
// compared with ===, and Node makes such a text twice as fast as a buffer. Only this file of the tree needs Node, so a
// build for browsers replaces only this file.
import { hash } from 'node:crypto'
import { NotProven } from '../not-proven.ts'

/** SHA-256 as 43 characters of base64url. */
export type Hash = string

/** The number of bytes of a hash. */
export const hashBytes = 32

/** The root of the tree without leaves: the hash of nothing (RFC 6962, section 2.1). */
export const emptyRoot: Hash = hash('sha256', '', 'base64url')

/** The byte 0x01 and two hashes. One buffer serves all calls, since each call ends before the next begins. */
const pair = Buffer.alloc(1 + 2 * hashBytes, 1)

const put = (hash: Hash, at: number): void => {
  if (pair.write(hash, at, hashBytes, 'base64url') !== hashBytes)
    throw new NotProven(`${JSON.stringify(hash)} is no hash: a hash has 43 characters of base64url`)
}

/** SHA-256 over the byte 0x01, the left hash and the right hash (RFC 6962). Throws NotProven if one is no hash. */
export const nodeOf = (left: Hash, right: Hash): Hash => {
  put(left, 1)
  put(right, 1 + hashBytes)
  return hash('sha256', pair, 'base64url')
}

/** A hash as standard base64 with padding, the form of checkpoints and proofs. */
export const toBase64 = (hash: Hash): string => `${hash.replaceAll('-', '+').replaceAll('_', '/')}=`

/** Reads a hash from standard base64 with padding. Throws NotProven. */
export const fromBase64 = (text: string): Hash => {
  const read = Buffer.from(text, 'base64')
  // Several texts can stand for the same bytes. Only one of them is allowed, so that equal hashes are equal texts.
  if (read.length !== hashBytes || read.toString('base64') !== text)
    throw new NotProven(`${JSON.stringify(text)} is no hash: a hash has 32 bytes in base64`)
  return read.toString('base64url')
}

/** The bytes of hashes, one after the other. */
export const toBytes = (hashes: readonly Hash[]): Buffer =>
  Buffer.concat(hashes.map(each => Buffer.from(each, 'base64url')))

/** Reads hashes that follow each other. Bytes at the end that are fewer than a hash are ignored. */
export const fromBytes = (bytes: Buffer): Hash[] =>
  Array.from({ length: Math.floor(bytes.length / hashBytes) }, (_, n) =>
    bytes.toString('base64url', n * hashBytes, (n + 1) * hashBytes),
  )
