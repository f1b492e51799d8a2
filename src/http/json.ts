// Text to JSON value, for every body we are sent. JSON.parse does the reading; what it would let through and we
// do not want (bottomless nesting, keys that reach for prototypes) is refused here, before anything else looks.
import { deepestBody } from '../contract/depth.ts'
import { Invalid, type Problem } from '../contract/refusals.ts'
import { mostProblems } from './problems.ts'

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

export function parseJson(text: string): unknown {
  if (isTooDeep(text)) {
    const msg = `JSON is nested deeper than ${deepestBody} levels`
    throw new Invalid([{ loc: ['body'], type: 'json_too_deep', msg }])
  }
  const value = parse(text)
  if (maybeUnsafe.test(text) || maybeInfinite.test(text)) {
    const problems: Problem[] = []
    findUnsafe(value, ['body'], problems)
    if (problems.length > 0) throw new Invalid(problems)
  }
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const problem = {
      loc: ['body', offsetOf(reason, text)],
      type: 'json_invalid',
      // V8 goes on to quote the text, which may hold a secret.
      msg: `JSON decode error: ${reason.split(/, (?:"|\.\.\.)/, 1)[0]}`,
    }
    throw new Invalid([problem])
  }
}

// V8 names the offset at the end of most of its messages; messages that quote the text instead end otherwise,
// so nothing a caller wrote can be taken for an offset.
function offsetOf(reason: string, text: string): number {
  if (reason === 'Unexpected end of JSON input') return text.length
  const position = / in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(reason)?.[1]
  return position === undefined ? 0 : Number(position)
}

// Counts brackets outside of strings. Whether they match is for JSON.parse to say.
function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = closingQuote(text, at)
      if (at === -1) return false
    } else if (code === openBrace || code === openBracket) {
      depth++
      if (depth > deepestBody) return true
    } else if (code === closeBrace || code === closeBracket) {
      depth--
    }
  }
  return false
}

// indexOf runs over long contents (a picture in base64) many times faster than a loop over characters. A quote
// closes the string unless an odd number of backslashes stands before it.
function closingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at
    while (text.charCodeAt(before - 1) === backslash) before--
    if ((at - before) % 2 === 0) return at
  }
  return -1
}

// Both names as written, or any escape of one of their letters (a–z and _ are \u005f to \u007a).
const maybeUnsafe = /__proto__|constructor|\\u00[567]/i

// A number too large for JavaScript would be stored as null: it has a long exponent or very many digits.
// Long digits are counted from their first one alone: from each of them it would take forever.
const maybeInfinite = /\d[eE]\+?0*\d{3}|(?<!\d)\d{300}/

// Recursion is safe: the depth was checked before.
function findUnsafe(value: unknown, loc: Problem['loc'], problems: Problem[]): void {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
    problems.push({ loc, type: 'finite_number', msg: 'Input should be a finite number' })
  }
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (problems.length >= mostProblems) return
      findUnsafe(item, [...loc, index], problems)
    }
    return
  }
  for (const [key, child] of Object.entries(value)) {
    if (problems.length >= mostProblems) return
    if (key === '__proto__') problems.push(unsafeKey([...loc, key]))
    else if (key === 'constructor' && hasPrototypeKey(child))
      problems.push(unsafeKey([...loc, key, 'prototype']))
    else findUnsafe(child, [...loc, key], problems)
  }
}

const hasPrototypeKey = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')

const unsafeKey = (loc: Problem['loc']): Problem => ({
  loc,
  type: 'value_error',
  msg: 'Value error, a key of this name is not allowed',
})
