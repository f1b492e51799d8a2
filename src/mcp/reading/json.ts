// Reads JSON as servers write it. Python writes NaN and Infinity, which become null, and scripts leave control
// characters in strings as they are.

const parts = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\bInfinity\b|\bNaN\b/gs
const controls = /\p{Cc}/gu

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
const mended = (text: string): string =>
  text.replace(parts, part => (part.startsWith('"') ? part.replace(controls, escaped) : 'null'))

/** Throws when the text is no JSON, not even after this is mended. */
export const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return JSON.parse(mended(text))
  }
}
