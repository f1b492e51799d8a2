// The canonical text of a JSON value, which does not depend on the order of keys, or on how a number is written: 1.0 and 1
// are one number. Digests of request bodies are made
// from it. Libraries for RFC 8785 cannot be used here, because they refuse lone surrogates, which the texts of a body
// may contain.
import { canonicalNumber, isExact } from './exact-number.ts'

/** Recursion is safe: a body's depth was checked when it was read. */
export const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (isExact(value)) return canonicalNumber(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const fields = Object.keys(value).sort()
  return `{${fields.map(key => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`).join(',')}}`
}

/** Whether two JSON values are the same. The order of keys and the form of numbers do not count. */
export const isSameJson = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)
