// What is heard of a server, and which of it is a message of JSON-RPC.
import { readJson as readExactly } from '../../contract/json/exact-json.ts'
import { mapExact, nearest } from '../../contract/json/exact-number.ts'

// Reads JSON as servers write it. Python writes NaN and Infinity, which become null, and scripts leave control
// characters in strings as they are.

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
const readJson = (text: string): unknown => {
  try {
    return read(text)
  } catch {
    return read(mended(text))
  }
}

export type Fields = Record<string, unknown>
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * `broken`: the text of an answer that cannot be read. `other`: a text that is no message, such as a line of a log.
 * `mark`: a line of an event stream with which a client can continue the stream.
 */
export type Heard = { message: Fields } | { broken: string } | { other: string } | { mark: string }

/** Turns text into what is heard, as it comes. */
export type Source = {
  hear(text: string): Heard[]
  /** Takes what has begun as it is, since no more comes. */
  end(): Heard[]
  /** Whether a message has begun and has not ended. */
  hasBegun(): boolean
}

const known = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error'])

/** Servers that leave `jsonrpc` out are understood, but a line of a log in JSON is no message. */
const isMessage = (value: unknown): value is Fields => {
  if (!isFields(value)) return false
  const isAnswer = 'result' in value || 'error' in value
  if ('jsonrpc' in value) return typeof value.method === 'string' || 'id' in value || isAnswer
  const isWhole = typeof value.method === 'string' || ('id' in value && isAnswer)
  return isWhole && Object.keys(value).every(key => known.has(key))
}

/** Whether this seems to be an answer. Servers that log the requests they get show these, too. */
export const seemsAnswer = (text: string): boolean =>
  /["']jsonrpc["']/.test(text) && !/["']method["']\s*:/.test(text)

const plainId = `["']id["']\\s*:\\s*(?:"([^"]*)"|'([^']*)'|(-?\\d+))`
const first = new RegExp(`^\\s*{\\s*(?:["']jsonrpc["']\\s*:\\s*["'][^"']*["']\\s*,\\s*)?${plainId}`)
const last = new RegExp(`${plainId}(?:\\s*,\\s*["']jsonrpc["']\\s*:\\s*["'][^"']*["'])?\\s*}\\s*$`)
/** The end of a text in which an id may be. */
const longestEnd = 200

/** The id in an answer that cannot be read, when it is where an id usually is. */
export const idIn = (text: string): string | undefined =>
  (first.exec(text) ?? last.exec(text.slice(-longestEnd)))?.slice(1).find(id => id !== undefined)

/** The text of an answer that cannot be read; anything else is no message. */
export const unread = (text: string): Heard => (seemsAnswer(text) ? { broken: text } : { other: text })

/** Reads a whole JSON text: a message, or a list of them. */
export const heardIn = (text: string): Heard[] => {
  let value: unknown
  try {
    value = readJson(text)
  } catch {
    return [unread(text)]
  }
  const messages = (Array.isArray(value) ? value : [value]).filter(isMessage)
  return messages.length === 0 ? [{ other: text }] : messages.map(message => ({ message }))
}
