// Checks the limits of a JSON text. Before parsing: its depth, its values and the keys of each object, in one pass over
// its bytes. Brackets and commas are not checked, because JSON.parse does that. After parsing: its different keys.
import type { Problem } from '../refusals.ts'
import { deepestBody, maxDifferentKeys, maxKeys, maxValues } from './json-limits.ts'

const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

const tooDeep: Problem = {
  loc: ['body'],
  type: 'json_too_deep',
  msg: `JSON is nested deeper than ${deepestBody} levels`,
}
const tooManyValues: Problem = {
  loc: ['body'],
  type: 'too_long',
  msg: `A body may hold at most ${maxValues} values: members of objects and items of lists`,
}
const tooManyKeys: Problem = {
  loc: ['body'],
  type: 'too_long',
  msg: `An object of a body may have at most ${maxKeys} keys`,
}

const tooManyDifferentKeys: Problem = {
  loc: ['body'],
  type: 'too_long',
  msg: `A body may use at most ${maxDifferentKeys} different keys`,
}
/** A text with fewer bytes cannot have more than `maxDifferentKeys` keys, because the shortest member is `"a":1,`. */
const tooShortForThat = maxDifferentKeys * 6

/**
 * The problem of a value with more different keys than a body may have; undefined if it has no more. `bytes` is the
 * length of the text from which the value was parsed.
 */
export const keysProblem = (value: unknown, bytes: number): Problem | undefined => {
  if (bytes < tooShortForThat) return undefined
  const seen = new Set<string>()
  const look = (each: unknown): void => {
    if (typeof each !== 'object' || each === null || seen.size > maxDifferentKeys) return
    if (Array.isArray(each)) for (const item of each) look(item)
    else
      for (const [key, child] of Object.entries(each)) {
        seen.add(key)
        look(child)
      }
  }
  look(value)
  return seen.size > maxDifferentKeys ? tooManyDifferentKeys : undefined
}

/**
 * The number of bytes of a string that are read one by one before `indexOf` is used. Most strings are short, and a call
 * of `indexOf` costs more than reading a few bytes.
 */
const nearby = 64

/** Makes a function that finds the ends of JSON strings. Callers must ask in order of increasing positions. */
const createTextEnd = (bytes: Buffer) => {
  /**
   * Makes a function that returns the position of the next byte `wanted`, or the length of all bytes if there is none.
   * It searches again only when the last position it found has been passed.
   */
  const finder = (wanted: number) => {
    let next = -1
    return (at: number): number => {
      if (next < at) {
        const found = bytes.indexOf(wanted, at)
        next = found === -1 ? bytes.length : found
      }
      return next
    }
  }
  const [quoteFrom, escapeFrom] = [finder(quote), finder(backslash)]
  /**
   * The position of the quote that ends the string which begins at `at`. If no quote ends the string: the length of all
   * bytes.
   */
  return (at: number): number => {
    for (;;) {
      for (const stop = at + nearby; at < stop; at++) {
        if (at >= bytes.length || bytes[at] === quote) return Math.min(at, bytes.length)
        if (bytes[at] === backslash) at++
      }
      const end = quoteFrom(at)
      if (end <= escapeFrom(at)) return end
      at = escapeFrom(at)
    }
  }
}

/** The problem of the first limit that a text exceeds; undefined if it exceeds none. */
export const shapeProblem = (given: Uint8Array): Problem | undefined => {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  const textEnd = createTextEnd(bytes)
  let depth = 0
  let values = 0
  /** For each level: the number of keys that the open object has so far; -1 for a list. */
  const keys = new Int32Array(deepestBody + 1).fill(-1)
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) {
      at = textEnd(at + 1)
    } else if (byte === comma) {
      if (++values > maxValues) return tooManyValues
      if (keys[depth] !== -1 && ++(keys[depth] as number) > maxKeys) return tooManyKeys
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > deepestBody) return tooDeep
      if (++values > maxValues) return tooManyValues
      keys[depth] = byte === openBrace ? 1 : -1
    } else if (byte === closeBrace || byte === closeBracket) {
      if (depth > 0) depth--
    }
  }
  return undefined
}
