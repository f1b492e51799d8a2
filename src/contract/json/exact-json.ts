// Reads JSON so that numbers keep their text. JSON.parse rounds: 9007199254740993 becomes …992, 1e400 becomes infinity,
// 1.0 becomes 1. Here, a number that JavaScript would write differently becomes an exact number: an object that holds
// the text, and that JSON.stringify writes as this text. All other numbers are plain. Code that passes a
// value on need not know about exact numbers. Code that reads a number asks exact-number.ts. Decision 140 has the reasons.
import { canBeExact, exactNumber } from './exact-number.ts'

const space = '[ \\t\\r\\n]*'
/**
 * Finds each number that JavaScript may write differently: one with 16 digits or more, with a fraction or an exponent,
 * and -0. A number follows a colon, a comma or a bracket. In a string, the expression finds what looks like that, too.
 */
const maybeOther = new RegExp(
  `[:,[]${space}(-0|-?(?=\\d{16}|\\d+[.eE])\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?)(?=${space}[,\\]}])`,
  'g',
)
const isOther = (number: string): boolean => String(Number(number)) !== number

/** Makes a function that says whether a place in a JSON text is in a string. Ask in order of increasing places. */
const createInString = (text: string) => {
  let begin = text.indexOf('"')
  let end = -1
  const endAfter = (quote: number): number => {
    for (let at = text.indexOf('"', quote + 1); at !== -1; at = text.indexOf('"', at + 1)) {
      let before = at
      while (text[before - 1] === '\\') before--
      if ((at - before) % 2 === 0) return at
    }
    return text.length
  }
  return (place: number): boolean => {
    while (begin !== -1 && begin < place) {
      if (end < begin) end = endAfter(begin)
      if (place < end) return true
      begin = text.indexOf('"', end + 1)
    }
    return false
  }
}

/** Before parsing, strings with this beginning stand for exact numbers. Nobody outside can know it. */
const mark = `${globalThis.crypto.randomUUID()}:`

/**
 * The text with marked strings in the places of its exact numbers; undefined when it has none. For texts that other code
 * parses: `putNumbers` replaces the marked strings afterwards.
 */
export const markNumbers = (text: string): string | undefined => {
  if (!canBeExact) return undefined
  maybeOther.lastIndex = 0
  let inString: ((place: number) => boolean) | undefined
  let made = ''
  let copied = 0
  for (let found = maybeOther.exec(text); found !== null; found = maybeOther.exec(text)) {
    const number = found[1] as string
    if (!isOther(number)) continue
    const begin = maybeOther.lastIndex - number.length
    inString ??= createInString(text)
    if (inString(begin)) continue
    made += `${text.slice(copied, begin)}"${mark}${number}"`
    copied = maybeOther.lastIndex
  }
  return copied === 0 ? undefined : made + text.slice(copied)
}

const put = (holder: object, key: string, value: unknown): void => {
  // An assignment to __proto__ would change the prototype.
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })
}

/**
 * Puts numbers in the places of the marked strings in a value: plain ones outside of the fields `exactIn`, exact ones
 * in these fields. Without `exactIn`, all are exact.
 */
export const putNumbers = (holder: object, exactIn?: ReadonlySet<string>): void => {
  for (const key of Object.keys(holder)) {
    const child = (holder as Record<string, unknown>)[key]
    if (typeof child === 'string') {
      if (!child.startsWith(mark)) continue
      const text = child.slice(mark.length)
      put(holder, key, exactIn === undefined ? exactNumber(text) : Number(text))
    } else if (typeof child === 'object' && child !== null) {
      putNumbers(child, exactIn?.has(key) === true ? undefined : exactIn)
    }
  }
}

/** Does what JSON.parse does, but numbers keep their text. Throws the errors of JSON.parse. */
export const readJson = (text: string): unknown => {
  const marked = markNumbers(text)
  if (marked === undefined) {
    const value: unknown = JSON.parse(text)
    return typeof value === 'number' && canBeExact && isOther(text.trim()) ? exactNumber(text.trim()) : value
  }
  let value: object
  try {
    value = JSON.parse(marked)
  } catch {
    return JSON.parse(text) // throws an error with the right place
  }
  putNumbers(value)
  return value
}
