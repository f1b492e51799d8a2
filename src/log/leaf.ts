// Computes the hashes that make an event provable: the digest binds the payload, and the leaf (RFC 6962) binds the
// header, which holds the digest. The hashes cover exactly the stored text, so they can be computed again from the file
// alone.
import { createHash, hash } from 'node:crypto'

/** SHA-256 over the UTF-8 of salt text + payload text, as 43 characters of base64url. */
export const digestOf = (salt: string, payload: string): string => hash('sha256', salt + payload, 'base64url')

export const digestChars = 43
/** The digest of row `n` of a batch. `digests`: those of all rows, one behind the other. */
export const digestAt = (digests: string, n: number): string =>
  digests.slice(digestChars * n, digestChars * (n + 1))

/** Computes the same digest for a payload that comes in pieces. */
export const openDigest = (salt: string) => {
  const sum = createHash('sha256').update(salt)
  return {
    add: (piece: string): void => void sum.update(piece),
    end: (): string => sum.digest('base64url'),
  }
}
export type OpenDigest = ReturnType<typeof openDigest>

/** SHA-256 over the byte 0x00 + the UTF-8 of the header text, as 43 characters of base64url. */
export const leafOf = (header: string): string => hash('sha256', `\0${header}`, 'base64url')

/** Adds the digest to a header from `openHeader`. The writer calls this when it has hashed the payload. */
export const closeHeader = (open: string, digest: string): string => `${open},"digest":"${digest}"}`
