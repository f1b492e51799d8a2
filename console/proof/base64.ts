// Bytes as base64url, which Node offers and browsers do not.
import { base64Of, bytesOfBase64 } from '../../src/proof/note/bytes.ts'

export const base64urlOf = (bytes: Uint8Array): string =>
  base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/** The bytes of a base64url text; undefined when the text is not base64url. */
export const bytesOf = (text: string): Uint8Array | undefined => {
  const padded = text.padEnd(Math.ceil(text.length / 4) * 4, '=')
  return bytesOfBase64(padded.replaceAll('-', '+').replaceAll('_', '/'))
}
