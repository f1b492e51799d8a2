// Converts bytes to texts and texts to bytes, only with functions that Node and browsers both have.

const utf8 = new TextEncoder()
/** The bytes of a text in UTF-8. */
export const bytesOfText = (text: string): Uint8Array => utf8.encode(text)

export const joined = (...parts: readonly Uint8Array[]): Uint8Array => {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Bytes as standard base64 with padding. Goes byte by byte: a long note has too many bytes for arguments of a call. */
export const base64Of = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))

/**
 * Reads standard base64 with padding. Undefined: the text is no base64, or `base64Of` writes another text for these
 * bytes. So equal bytes always have equal texts.
 */
export const bytesOfBase64 = (text: string): Uint8Array | undefined => {
  let binary: string
  try {
    binary = atob(text)
  } catch {
    return undefined
  }
  const bytes = Uint8Array.from(binary, character => character.charCodeAt(0))
  return base64Of(bytes) === text ? bytes : undefined
}

/** Bytes as hexadecimal digits in lower case. */
export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')

/** Reads hexadecimal digits. Their number must be even. */
export const bytesOfHex = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
