// Turns bytes into a JSON value, for every body and message from outside. JSON.parse does the reading. This file
// refuses what JSON.parse would accept but the server does not: too deep nesting, too many values, and keys that reach
// for prototypes.
import { isUtf8 } from 'node:buffer'
import { Invalid, type Problem } from '../../contract/refusals.ts'
import { mostProblems } from '../problems.ts'
import { keysProblem, shapeProblem } from './shape.ts'

/** A byte order mark is no JSON. The decoder keeps it, so that JSON.parse refuses it. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Throws Invalid when the bytes are not acceptable JSON. */
export function parseJson(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) {
    throw new Invalid([{ loc: ['body', 0], msg: 'JSON decode error: not UTF-8', type: 'json_invalid' }])
  }
  const tooMuch = shapeProblem(bytes)
  if (tooMuch !== undefined) throw new Invalid([tooMuch])
  const text = decoder.decode(bytes)
  const value = parse(text)
  const tooManyKeys = keysProblem(value, bytes.length)
  if (tooManyKeys !== undefined) throw new Invalid([tooManyKeys])
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
      // V8 also quotes the text, which may hold a secret.
      msg: `JSON decode error: ${reason.split(/, (?:"|\.\.\.)/, 1)[0]}`,
    }
    throw new Invalid([problem])
  }
}

// V8 names the offset at the end of most of its messages. Messages that quote the text have another ending, so no text
// from a caller can be taken for an offset.
function offsetOf(reason: string, text: string): number {
  if (reason === 'Unexpected end of JSON input') return text.length
  const position = / in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(reason)?.[1]
  return position === undefined ? 0 : Number(position)
}

// Matches both unsafe names as written, and any escape of one of their letters (a–z and _ are \u005f to \u007a).
const maybeUnsafe = /__proto__|constructor|\\u00[567]/i

// A number too large for JavaScript would be stored as null. Such a number has a long exponent or very many digits.
// Digits are counted only from the first one of a number: counting from each of them would take too long.
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
