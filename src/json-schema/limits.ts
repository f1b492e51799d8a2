// Limits on the schemas and values of callers, and on the problems that are reported. Each value becomes JSON text
// once, here. The length of this text is checked, and the text is sent to the thread. A compiled schema is kept under
// its text, so that it need not be compiled again.
import { readJson } from '../contract/json/exact-json.ts'
import { mapExact, nearest } from '../contract/json/exact-number.ts'
import { isDeeper } from '../contract/json/json-limits.ts'

/** One check reports at most this many problems. */
export const maxProblems = 20
/** A reported problem has at most this many characters. */
const longestProblem = 240
/** A schema may have at most this many bytes as JSON. */
const largestSchema = 64 * 1024
/** A schema may be nested at most this many levels deep. */
const deepestSchema = 32
/** A value may have at most this many bytes as JSON. */
const largestValue = 1024 * 1024

export type Text = { text: string } | { problem: string }

export const schemaText = (schema: unknown): Text => {
  if (isDeeper(schema, deepestSchema)) {
    return { problem: `the schema is nested deeper than ${deepestSchema} levels` }
  }
  return jsonText('schema', schema, largestSchema, '64 KiB')
}

export const valueText = (value: unknown): Text => jsonText('value', value, largestValue, '1 MiB')

const jsonText = (what: string, value: unknown, largest: number, limit: string): Text => {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return { problem: `the ${what} is nested too deeply` }
  }
  if (text === undefined) return { problem: `the ${what} is not JSON` }
  return Buffer.byteLength(text) > largest ? { problem: `the ${what} is larger than ${limit}` } : { text }
}

export const short = (text: string, longest = longestProblem): string =>
  text.length > longest ? `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…` : text

/** The first problems, without repetition. */
export const fewest = (problems: Iterable<string>): string[] => {
  const kept = new Set<string>()
  for (const problem of problems) {
    kept.add(short(problem))
    if (kept.size === maxProblems) break
  }
  return [...kept]
}

/**
 * The value of a JSON text for a check. Numbers that JavaScript cannot hold are the nearest ones: so a large integer is
 * an integer, and the order of numbers counts. Two numbers that round to the same one are equal for a check.
 */
export const checkedValue = (text: string): unknown => mapExact(readJson(text), nearest)
