// Checks values against small schemas of callers on the main thread. With the keywords that are allowed here, the time
// of a check grows at most with the product of the lengths of schema and value. Other keywords can take longer: a
// pattern can take exponential time, references and combinations can repeat each other, and `uniqueItems` compares all
// pairs. A schema with such keywords runs in the thread.
import { remembering } from './cache.ts'
import { type Check, compile } from './compile.ts'
import { checkedValue } from './limits.ts'

const longestSchema = 2048
/** A schema with more keywords and property names is checked in the thread: compiling takes time for each of them. */
const maxKeywords = 64
/** The limit for the characters of the schema times the characters of the value. */
const maxWork = 256 * 1024
/**
 * The thread checks a schema this many times before the main thread compiles it. So callers who always send new schemas
 * do not make the main thread compile each of them.
 */
const checksBefore = 15
const remembered = { texts: 100, characters: 64 * 1024 }

type Fits = (value: unknown) => boolean
const isScalar: Fits = value => typeof value !== 'object' || value === null
const isNumber: Fits = value => typeof value === 'number'
const isText: Fits = value => typeof value === 'string'
const all =
  (fits: Fits): Fits =>
  value =>
    Array.isArray(value) && value.every(fits)
const eachOf: Fits = value =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isPlain)
const anything: Fits = () => true

const plainKeywords = new Map<string, Fits>([
  ...['$schema', 'title', 'description', 'default', 'examples'].map(name => [name, anything] as const),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map(name => [name, isNumber] as const),
  ...['minLength', 'maxLength', 'minItems', 'maxItems'].map(name => [name, isNumber] as const),
  ...['minProperties', 'maxProperties'].map(name => [name, isNumber] as const),
  ['type', value => isText(value) || all(isText)(value)],
  ['required', all(isText)],
  ['enum', all(isScalar)],
  ['const', isScalar],
  ['properties', eachOf],
  ['additionalProperties', value => isPlain(value)],
  ['items', value => isPlain(value)],
])

export const isPlain = (schema: unknown): boolean => {
  if (typeof schema === 'boolean') return true
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return false
  return Object.entries(schema).every(([name, value]) => plainKeywords.get(name)?.(value) === true)
}

/** A schema that was seen before. `check` is undefined if values must be checked in the thread. */
type Known = { seen: number; check?: Check | undefined }

const keywordsIn = (schema: unknown): number =>
  typeof schema === 'object' && schema !== null
    ? Object.values(schema).reduce((sum: number, each) => sum + 1 + keywordsIn(each), 0)
    : 0

const compiled = (text: string): Check | undefined => {
  const schema = checkedValue(text)
  const made = keywordsIn(schema) <= maxKeywords && isPlain(schema) ? compile(schema) : undefined
  return made !== undefined && 'check' in made ? made.check : undefined
}

/** Returns a function that gives the problems of a value; undefined: the thread must find them. It takes JSON texts. */
export const createPlainChecks = () => {
  const known = remembering<Known>(remembered, () => ({ seen: 0 }))
  return (schema: string, value: string): string[] | undefined => {
    if (schema.length > longestSchema || schema.length * value.length > maxWork) return undefined
    const one = known(schema)
    if (one.seen++ === checksBefore) one.check = compiled(schema)
    return one.check?.(checkedValue(value))
  }
}
