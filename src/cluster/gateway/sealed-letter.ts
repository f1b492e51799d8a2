// Seals and opens letters: JSON that two nodes send to each other, sealed with AES-256-GCM. `about` says to which
// request a letter belongs, so that a letter from another request cannot be opened.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export const sealLetter = (key: Uint8Array, about: string, content: unknown): Buffer => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(about))
  const sealed = Buffer.concat([cipher.update(JSON.stringify(content)), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Throws when the letter was sealed with another key or another `about`, or was changed. */
export const openLetter = (key: Uint8Array, about: string, letter: Buffer): unknown => {
  const nonce = letter.subarray(0, nonceBytes)
  const tag = letter.subarray(nonceBytes, nonceBytes + tagBytes)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(about)).setAuthTag(tag)
  const text = [decipher.update(letter.subarray(nonceBytes + tagBytes)), decipher.final()]
  return JSON.parse(Buffer.concat(text).toString())
}
