// Seals texts with AES-256-GCM, so that the servers of the shared log never see the texts. What a destroyed key has
// sealed can never be read again.
import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16

// Random bytes are fetched for many nonces at once, since each fetch takes longer than the sealing of a short text.
const stock = Buffer.alloc(nonceBytes * 256)
let used = stock.length
const nextNonce = (): Buffer => {
  if (used === stock.length) {
    randomFillSync(stock)
    used = 0
  }
  used += nonceBytes
  return stock.subarray(used - nonceBytes, used)
}

/** Returns the nonce, the tag and the sealed text. */
export const seal = (key: Buffer, text: string, nonce = nextNonce()): Buffer => {
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const sealed = cipher.update(text, 'utf8')
  cipher.final()
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Throws when the bytes were not sealed with this key. */
export const unseal = (key: Buffer, bytes: Uint8Array): string => {
  const opening = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
  opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  const text = opening.update(bytes.subarray(nonceBytes + tagBytes))
  opening.final()
  return text.toString()
}
