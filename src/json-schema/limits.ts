// Limits on what callers send, and on the problems that are reported. Each value becomes JSON text once, here. Its
// length is checked, and the thread that checks values receives it. The text of a schema also identifies the schema
// among those that are compiled already.
import { isDeeper } from '../contract/json-limits.ts'

/** The most problems that one check reports. */
export const maxProblems = 20
/** The most characters of a reported problem. */
const longestProblem = 240
/** The most bytes of a schema as JSON. */
const largestSchema = 64 * 1024
/** The most levels of a schema. */
const deepestSchema = 32
/** The most bytes of a value as JSON. */
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
