// Reads JSON as servers write it. Python writes NaN and Infinity, which become null, and scripts leave control
// characters in strings as they are.
import { readJson as readExactly } from '../../contract/exact-json.ts'
import { mapExact, nearest } from '../../contract/exact-number.ts'

const parts = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\bInfinity\b|\bNaN\b/gs
const controls = /\p{Cc}/gu

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
const mended = (text: string): string =>
  text.replace(parts, part => (part.startsWith('"') ? part.replace(controls, escaped) : 'null'))

/** The fields whose content is only passed on, so that its numbers keep their text. In all other fields, we read numbers. */
const passedOn: ReadonlySet<string | number> = new Set(['structuredContent', 'inputSchema'])
const read = (text: string): unknown =>
  mapExact(readExactly(text), (number, path) =>
    path.some(name => passedOn.has(name)) ? number : nearest(number),
  )

/** Throws when the text is no JSON, not even after this is mended. */
export const readJson = (text: string): unknown => {
  try {
    return read(text)
  } catch {
    return read(mended(text))
  }
}
