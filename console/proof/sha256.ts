// SHA-256 in plain JavaScript: `crypto.subtle` is missing on plain HTTP beyond loopback.
import { sha256 } from '@noble/hashes/sha2.js'
import { base64urlOf } from './base64.ts'

/** SHA-256 of the UTF-8 bytes of a text, as base64url. */
export const hashOfText = (text: string): string => base64urlOf(sha256(new TextEncoder().encode(text)))
